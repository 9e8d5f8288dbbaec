/** Earlier names. They stay importable until 1.0. */

export type {
  /** @deprecated Use `HubServer`. */
  HubServer as Serving,
} from './server/serve.ts';
export type {
  /** @deprecated Use `ArchiveResult`. */
  ArchiveResult as Archived,
} from './store/maintenance/archive.ts';
export type {
  /** @deprecated Use `BackupResult`. */
  BackupResult as BackedUp,
} from './store/maintenance/backup.ts';
export type {
  /** @deprecated Use `MaintenanceOptions`. */
  MaintenanceOptions as CareOptions,
} from './store/maintenance/maintenance-types.ts';
export type {
  /** @deprecated Use `QuarantinedDamage`. */
  QuarantinedDamage as SetAside,
  /** @deprecated Use `RepairResult`. */
  RepairResult as Repaired,
} from './store/maintenance/repair.ts';
export type {
  /** @deprecated Use `StoreVerification`. */
  StoreVerification as Verified,
} from './store/maintenance/verify.ts';
