/** Governed runs on a disk: the engine, and what reads, writes and runs for it. */

export { bundleFolder, evidencePath, runtimeFolder, stagingFolder } from '../../governed/dispatch/places.ts';
export { hooksFaults } from '../../governed/hooks/check.ts';
export { decideHook, type HookDecision, type HookEnd } from '../../governed/hooks/decide.ts';
export type * from '../../governed/hooks/hook.ts';
export type { TamperCode } from '../../governed/hooks/tamper.ts';
export type { ManifestFault, ManifestFaultType } from '../../governed/manifest/compare.ts';
export type { BundleIdentity, DispatchManifest, ManifestFile } from '../../governed/manifest/manifest.ts';
export { type HookOptions, type HooksRun, runHooks } from './hooks/run-hooks.ts';
export { finaliseManifest, type Sealed } from './manifest/finalise.ts';
export { type Inspected, inspectManifest } from './manifest/inspect.ts';
export { type ToVerify, type Verified, verifyManifest } from './manifest/verify.ts';
export type { NotDone } from './refusal.ts';
