/** Fixtures of operations that need real files and processes are done in a folder of their own; all others without. */

import { type Answer, fixtureOf, type Members } from '../fixture.ts';
import { inspectManifestFixture, runHooksFixture, verifyManifestFixture } from './disk-operations.ts';
import { compared, executeFixture, notUnderstood } from './execute.ts';
import { inflate, unknownSetup, type World } from './inflate.ts';
import { inWorkspace, type Workspace } from './workspace.ts';

export type DiskOperation = (workspace: Workspace, world: World, args: Members) => Promise<Members>;

export const DISK_OPERATIONS: Readonly<Record<string, DiskOperation>> = {
  verify_dispatch_manifest: verifyManifestFixture,
  inspect_dispatch_manifest: inspectManifestFixture,
  run_hooks: runHooksFixture,
};

/** What may stand in `setup` beside what every operation knows. */
const KNOWN = [
  'dispatch_bundle',
  'post_finalize_inject',
  'post_finalize_tamper',
  'post_finalize_delete',
  'post_finalize_delete_manifest',
  'post_finalize_corrupt_manifest',
];

/** `signal` ends it early, with all its processes; what it answers then says nothing. */
export async function executeAnyFixture(given: unknown, signal?: AbortSignal): Promise<Answer> {
  const fixture = fixtureOf(given);
  if (typeof fixture === 'string') return executeFixture(given);
  const { operation, args } = fixture.input;
  const perform = Object.hasOwn(DISK_OPERATIONS, operation) ? DISK_OPERATIONS[operation] : undefined;
  if (perform === undefined) return executeFixture(given);
  const stranger = unknownSetup(fixture, KNOWN);
  if (stranger !== null) return notUnderstood(stranger);
  const world = inflate(fixture);
  const done = await inWorkspace(fixture, world, (workspace) => perform(workspace, world, args), signal);
  return compared(fixture, done);
}

/** The same for who has to be answered: what cannot be done at all is an error. */
export async function answerFixture(given: unknown, signal?: AbortSignal): Promise<Answer> {
  try {
    return await executeAnyFixture(given, signal);
  } catch (thrown) {
    return { status: 'error', message: thrown instanceof Error ? thrown.message : String(thrown), actual: null };
  }
}
