/** A turn goes out. */

import { authorityOf, canonicalPath, getActiveTurnCount, getActiveTurns } from '../../../../governed/index.ts';
import { own } from '../../../../governed/engine/lib/unknown-record.ts';
import { badArgument, requireHooksPassed } from '../../../../governed/runner/contract/failure.ts';
import { hooksOf } from '../hooks-of.ts';
import { baselineOf, type Tree, treeOf } from '../../../../governed/runner/inspect/git.ts';
import { nowOf, type OpenRun, type Running, stateOf } from '../open-run.ts';
import { requireRun } from '../../../../governed/runner/project/take-over.ts';
import type { AssignOptions, TurnAssigned } from '../../../../governed/runner/contract/types.ts';

export interface AssignArgs {
  readonly config: unknown;
  readonly roleId: unknown;
  readonly options?: AssignOptions;
}

export async function assignTurn(run: OpenRun, { config, roleId, options = {} }: AssignArgs): Promise<TurnAssigned> {
  if (typeof roleId !== 'string' || roleId === '') throw badArgument('roleId', 'the name of a role', roleId);
  const running = await requireRun(run, config);
  const state = stateOf(running);
  const hooks = await hooksOf(running, 'before_assignment', {
    role_id: roleId,
    role_config: own(running.config.roles, roleId) ?? null,
    phase: state.phase,
    active_turns: Object.keys(getActiveTurns(state)),
    history_length: running.log.record.history.length,
  });
  requireHooksPassed(hooks, 'before_assignment');
  const turn_id = options.turnId ?? `turn_${run.means.ids.hex32().slice(0, 16)}`;
  const tree = await treeOf(run.root);
  await running.log.post('turn.assigned', {
    turn_id,
    role: roleId,
    git: tree === null ? null : { head: tree.head, changed: null, is_clean: isClean(running, tree, roleId) },
    baseline: tree === null ? null : baselineOf(tree, nowOf(run)),
    hooks: hooks.results,
  });
  const after = stateOf(running);
  const turn = own(after.active_turns, turn_id);
  if (turn === undefined) throw new Error(`turn ${turn_id} was assigned and is not out`);
  return { ok: true, state: after, turn, warnings: [] };
}

/** What accepted turns have changed is theirs. While others are at work nobody can tell whose a change is. */
function isClean(running: Running, { dirty }: Tree, roleId: string): boolean | null {
  if (getActiveTurnCount(stateOf(running)) > 0 || authorityOf(running.config, roleId) === 'review_only') return null;
  const accounted = new Set(running.log.record.history.flatMap(declaredIn));
  return Object.keys(dirty).every((path) => accounted.has(path));
}

function declaredIn(entry: object): readonly string[] {
  const { files_changed = [] } = entry as { readonly files_changed?: unknown };
  const paths = Array.isArray(files_changed) ? files_changed.filter((path) => typeof path === 'string') : [];
  return paths.map((path) => canonicalPath(path) ?? path);
}
