/** Names of version 0.1. They stay importable until 1.0. */

export {
  /** @deprecated since 0.2; use `writeFileAtomic`. */
  writeFileAtomic as writeWhole,
} from '../system/atomic-file.ts';
export {
  /** @deprecated since 0.2; use `createRepoRuns`. */
  createRepoRuns as runsByRunner,
} from './coordinator/repo-runs.ts';
export {
  /** @deprecated since 0.2; use `checkSeal`. */
  checkSeal as mayGoOut,
  /** @deprecated since 0.2; use `ManifestInspection`. */
  type ManifestInspection as Inspected,
  /** @deprecated since 0.2; use `SealResult`. */
  type SealResult as Sealed,
  /** @deprecated since 0.2; use `VerifyInput`. */
  type VerifyInput as ToVerify,
} from './dispatch/manifest.ts';
export type {
  /** @deprecated since 0.2; use `CleanUpResult`. */
  CleanUpResult as CleanedUp,
} from './dispatch/turn-files.ts';
export type {
  /** @deprecated since 0.2; use `DriverWaitResult`. */
  DriverWaitResult as AdapterWaited,
  /** @deprecated since 0.2; use `RuntimeDriver`. */
  RuntimeDriver as Adapter,
} from './drivers/attempt/driver.ts';
export type {
  /** @deprecated since 0.2; use `DriverFailure`. */
  DriverFailure as AdapterFailure,
} from './drivers/attempt/failure.ts';
export {
  /** @deprecated since 0.2; use `createRuntimeDriver`. */
  createRuntimeDriver as createAdapter,
  /** @deprecated since 0.2; use `runTurnWithDriver`. */
  runTurnWithDriver as runAdapter,
} from './drivers/lazy.ts';
export type {
  /** @deprecated since 0.2; use `DriverOutcome`. */
  DriverOutcome as AdapterOutcome,
} from './drivers/run-driver.ts';
export {
  /** @deprecated since 0.2; use `validateHooks`. */
  validateHooks as hooksFaults,
} from './engine/hooks/check.ts';
export {
  /** @deprecated since 0.2; use `projectFiles`. */
  projectFiles as filesOf,
} from './files/read-text.ts';
export {
  /** @deprecated since 0.2; use `FileFailure`. */
  type FileFailure as NotDone,
  /** @deprecated since 0.2; use `validatePaths`. */
  validatePaths as pathFaults,
} from './files/safe-path.ts';
export {
  /** @deprecated since 0.2; use `dispatchByDriver`. */
  dispatchByDriver as dispatchByAdapter,
} from './loop/driver-dispatch.ts';
export type {
  /** @deprecated since 0.2; use `StagedResult`. */
  StagedResult as Staged,
  /** @deprecated since 0.2; use `StagedWaitResult`. */
  StagedWaitResult as Waited,
} from './staging/staged-result.ts';
export {
  /** @deprecated since 0.2; use `withdrawRun`. */
  withdrawRun as takeBackRun,
} from './this-machine.ts';
