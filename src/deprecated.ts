/** Names of version 0.1. They stay importable until 1.0. */

export type {
  /** @deprecated since 0.2; use `HubServer`. */
  HubServer as Serving,
} from './server/serve.ts';
export type {
  /** @deprecated since 0.2; use `ArchiveResult`. */
  ArchiveResult as Archived,
} from './store/maintenance/archive.ts';
export type {
  /** @deprecated since 0.2; use `BackupResult`. */
  BackupResult as BackedUp,
} from './store/maintenance/backup.ts';
export type {
  /** @deprecated since 0.2; use `MaintenanceOptions`. */
  MaintenanceOptions as CareOptions,
} from './store/maintenance/maintenance-types.ts';
export type {
  QuarantinedDamage as SetAside,
  /** @deprecated since 0.2; use `RepairResult`. */
  RepairResult as Repaired,
} from './store/maintenance/repair.ts';
export type {
  /** @deprecated since 0.2; use `StoreVerification`. */
  StoreVerification as Verified,
} from './store/maintenance/verify.ts';
