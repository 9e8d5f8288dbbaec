/** Implements conformance operations on real files and processes: runs hooks; seals, alters and verifies bundles. */

import {
  bundleFolder,
  finaliseManifest,
  inspectManifest,
  runHooks,
  type SealResult,
  verifyManifest,
} from 'parley-hub/governed';
import type { Members } from '../fixture.ts';
import { membersOf, NOW, textOf, type World } from './inflate.ts';
import type { Workspace } from './workspace.ts';

export type DiskOperation = (workspace: Workspace, world: World, args: Members) => Promise<Members>;

export const DISK_OPERATIONS: Readonly<Record<string, DiskOperation>> = {
  verify_dispatch_manifest: verifyBundle,
  inspect_dispatch_manifest: inspectBundle,
  run_hooks: run,
};

/** Members of `setup` that only disk operations accept. */
export const DISK_SETUP: readonly string[] = [
  'dispatch_bundle',
  'post_finalize_inject',
  'post_finalize_tamper',
  'post_finalize_delete',
  'post_finalize_delete_manifest',
  'post_finalize_corrupt_manifest',
];

async function run(workspace: Workspace, { config, state }: World, args: Members): Promise<Members> {
  const before = workspace.booksDigest();
  const { root, signal } = workspace;
  const options = { run_id: state.run_id, ...(signal === undefined ? {} : { signal }) };
  const ran = await runHooks(root, config.hooks, textOf(args.phase), membersOf(args.payload), options);
  const audit_entries = workspace.lines('.agentxchain/hook-audit.jsonl');
  return {
    result: 'success',
    hook_ok: ran.ok,
    blocked: ran.blocked,
    error_code: ran.error_code,
    tamper: ran.tamper,
    audit_entry: audit_entries[0] ?? null,
    audit_entries,
    annotation_records: workspace.lines('.agentxchain/hook-annotations.jsonl'),
    books_unchanged: workspace.booksDigest() === before,
  };
}

async function verifyBundle(workspace: Workspace, world: World, args: Members): Promise<Members> {
  const turnId = textOf(args.turn_id);
  const sealed = await sealedBundle(workspace, world, turnId);
  // `identity` and `check_seal` are optional; the public corpus uses neither.
  const identity = { ...membersOf(args.identity) };
  const digest = args.check_seal === true ? sealed?.digest : undefined;
  const { ok, manifest, errors } = await verifyManifest(workspace.root, { turnId, identity, digest });
  if (ok) return { result: 'success', manifest_valid: true, manifest, verification_errors: [] };
  return { result: 'error', error_type: errors[0]?.type, manifest_valid: false, verification_errors: errors };
}

async function inspectBundle(workspace: Workspace, world: World, args: Members): Promise<Members> {
  const turnId = textOf(args.turn_id);
  await sealedBundle(workspace, world, turnId);
  const found = await inspectManifest(workspace.root, turnId);
  if (found === null) return { result: 'error', error_type: 'missing_manifest' };
  return { result: 'success', ...found };
}

/** Returns null if the fixture has nothing to seal. */
async function sealedBundle(workspace: Workspace, { state }: World, turnId: string): Promise<SealResult | null> {
  const { setup } = workspace;
  writeAll(workspace, setup.dispatch_bundle);
  const role = Object.hasOwn(state.active_turns, turnId) ? state.active_turns[turnId]?.assigned_role : undefined;
  const identity = { run_id: state.run_id, turn_id: turnId, role: role ?? '' };
  const sealed = await finaliseManifest(workspace.root, identity, NOW);
  change(workspace, turnId);
  return sealed.ok ? sealed : null;
}

function change(workspace: Workspace, turnId: string): void {
  const { setup } = workspace;
  writeAll(workspace, setup.post_finalize_inject);
  writeAll(workspace, setup.post_finalize_tamper);
  for (const [turn, names] of Object.entries(membersOf(setup.post_finalize_delete))) {
    for (const name of Array.isArray(names) ? names : []) workspace.remove(`${bundleFolder(turn)}/${name}`);
  }
  const deleted = setup.post_finalize_delete_manifest;
  for (const turn of deleted === true ? [turnId] : Object.keys(membersOf(deleted))) {
    workspace.remove(`${bundleFolder(turn)}/MANIFEST.json`);
  }
  for (const [turn, content] of Object.entries(membersOf(setup.post_finalize_corrupt_manifest))) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    workspace.write(`${bundleFolder(turn)}/MANIFEST.json`, text);
  }
}

function writeAll(workspace: Workspace, bundles: unknown): void {
  for (const [turn, files] of Object.entries(membersOf(bundles))) {
    for (const [name, text] of Object.entries(membersOf(files))) {
      workspace.write(`${bundleFolder(turn)}/${name}`, String(text));
    }
  }
}
