/** Parley in Node: a hub in this process, and what one needs to talk to it. */

export type { AgentOptions, HumanOptions, Invite, Message, Session } from './client/index.ts';
export { AgentClient, HumanClient } from './client/index.ts';
export { connect, connectHuman } from './client/node.ts';
export type {
  AgentConfig,
  Config,
  ExtractConfig,
  HubConfig,
  RoleConfig,
  RuleConfig,
  ScheduleConfig,
  SecondModel,
} from './config/shape/config.ts';
export { defineConfig } from './config/shape/config.ts';
export * from './deprecated.ts';
export { MemoryStore } from './hub/log/memory-store.ts';
export { nextRun } from './hub/schedules/next-run.ts';
export type { HubEventName, HubEvents, HubListener } from './hub/telemetry/events.ts';
export type { CreateHubOptions, LocalAgentOptions, LocalHub, LocalHumanOptions } from './server/create-hub.ts';
export { createHub } from './server/create-hub.ts';
export type { ServeLimits, ServeOptions, TlsOptions } from './server/port/serve-options.ts';
export type { HubServer } from './server/serve.ts';
export type { DurableStore } from './store/durable-store.ts';
export type { ArchiveOptions, ArchiveResult } from './store/maintenance/archive.ts';
export type { BackupResult } from './store/maintenance/backup.ts';
export type { MaintenanceOptions } from './store/maintenance/maintenance-types.ts';
export type { QuarantinedDamage, RepairResult } from './store/maintenance/repair.ts';
export type { StoreVerification } from './store/maintenance/verify.ts';
export type { OpenStoreOptions } from './store/open-store.ts';
export { openStore } from './store/open-store.ts';
export type { StoreRecovery } from './store/recover.ts';
export { restoreBackup } from './store/restore.ts';
export { systemClock } from './system/clock.ts';
export { systemIds } from './system/ids.ts';
