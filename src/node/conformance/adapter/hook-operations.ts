/** Hooks, run for real. What is answered is read from the disk, where they were written down. */

import { runHooks } from 'parley-hub/governed';
import type { Members } from '../members.ts';
import { textOf } from './given.ts';
import { membersOf, type World } from '../../../governed/conformance/adapter/inflate.ts';
import type { Workspace } from '../../../governed/conformance/adapter/workspace.ts';

export async function runHooksFixture(workspace: Workspace, { config, state }: World, args: Members): Promise<Members> {
  const before = workspace.booksDigest();
  const { hooks } = config;
  const { signal } = workspace;
  const ran = await runHooks(workspace.root, hooks, textOf(args.phase), membersOf(args.payload), {
    run_id: state.run_id,
    ...(signal === undefined ? {} : { signal }),
  });
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
