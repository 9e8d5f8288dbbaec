/** `parley run status`: whose turn it is, since when, what waits, and what to do next. */

import { sentenceOf } from '../../governed/engine/gates/verdict.ts';
import type { Reason } from '../../governed/gates/verdict.ts';
import { getTurnStagingResultPath, phasesOf, type RunState, type Turn } from '../../governed/index.ts';
import { readStagedResult } from '../../governed/staging/staged-result.ts';
import { fromNow, spanOf, writeColumns } from '../../node/commands/columns.ts';
import type { Asked } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine } from '../terminal/printable.ts';
import { type Handed, nextSteps } from './next-steps.ts';
import { type Project, projectOf, stateNow } from './project.ts';
import { servedLine } from '../../node/commands/governed/served-by.ts';

export async function status(asked: Asked, io: Io): Promise<number> {
  const project = await projectOf(asked);
  const { root, served } = project;
  const state = await stateNow(project);
  const handed = await handedIn(project, state);
  const next = nextSteps(state, project, (id) => handed.get(id) ?? 'nothing');
  const turns = Object.values(state?.active_turns ?? {});
  io.put({
    root,
    run_id: state?.run_id ?? null,
    status: state?.status ?? 'idle',
    phase: state?.phase ?? null,
    turns: turns.map((turn) => turnShown(turn, handed)),
    waits_for: waitsFor(state),
    served,
    next,
    state,
  });
  if (io.isJson) return EXIT.done;
  sayRun(project, state, io);
  if (served !== null) io.say(printableLine(servedLine(served)));
  if (turns.length > 0)
    writeColumns(
      io.terminal,
      HEADS,
      turns.map((turn) => rowOf(turn, handed)),
    );
  for (const line of openItems(state)) io.say(printableLine(line));
  for (const step of next) io.say(`Next: ${step}`);
  return EXIT.done;
}

async function handedIn({ root }: Project, state: RunState | null): Promise<ReadonlyMap<string, Handed>> {
  const found = new Map<string, Handed>();
  for (const id of Object.keys(state?.active_turns ?? {})) {
    const { kind } = await readStagedResult(root, id);
    found.set(id, kind === 'ready' ? 'ready' : kind === 'absent' ? 'nothing' : 'not_whole');
  }
  return found;
}

function turnShown(turn: Turn, handed: ReadonlyMap<string, Handed>) {
  const { turn_id, assigned_role: role, status: at, attempt, assigned_at, started_at, deadline_at } = turn;
  const staging = getTurnStagingResultPath(turn_id);
  return {
    turn_id,
    role,
    status: at,
    attempt,
    assigned_at,
    started_at,
    deadline_at,
    staging,
    result: handed.get(turn_id),
  };
}

/** Who has to do something; null = nobody, it is over. */
function waitsFor(state: RunState | null): string | null {
  if (state === null || state.status === 'idle') return 'somebody to begin it';
  if (state.status === 'completed' || state.status === 'failed') return null;
  if (state.status === 'paused') return 'approval';
  if (state.status === 'blocked') return state.blocked_reason?.recovery.owner ?? 'human';
  const roles = Object.values(state.active_turns).map(({ assigned_role }) => assigned_role);
  return roles.length === 0 ? 'an assignment' : roles.join(', ');
}

function sayRun({ root, config }: Project, state: RunState | null, io: Io): void {
  if (state === null || state.status === 'idle') return io.say(`no run has begun in ${root}`);
  const phases = phasesOf(config);
  const at = state.phase === null ? -1 : phases.indexOf(state.phase);
  const where = at === -1 ? '' : `, phase ${state.phase} (${at + 1} of ${phases.length})`;
  const since = state.completed_at ?? state.blocked_reason?.blocked_at ?? state.phase_entered_at;
  const when = since === null ? '' : `, for ${spanOf(Math.max(0, Date.now() - Date.parse(since)))}`;
  io.say(printableLine(`${state.run_id} is ${state.status}${where}${when}; ${state.accepted_sequence} turns accepted`));
}

const HEADS = ['turn', 'role', 'status', 'try', 'since', 'until', 'result'];

function rowOf(turn: Turn, handed: ReadonlyMap<string, Handed>) {
  const { turn_id, assigned_role, status: at, attempt, assigned_at, started_at, deadline_at } = turn;
  const since = started_at ?? assigned_at;
  const result = { nothing: 'none yet', not_whole: 'not whole', ready: 'handed in' }[handed.get(turn_id) ?? 'nothing'];
  const when = (iso: string | null): string => (iso === null ? '' : fromNow(iso, Date.now()));
  return [turn_id, assigned_role, at, String(attempt), when(since), when(deadline_at), result].map((text) => ({
    text,
  }));
}

function openItems(state: RunState | null): readonly string[] {
  if (state === null) return [];
  const {
    pending_phase_transition: phase,
    pending_run_completion: end,
    blocked_reason: why,
    last_gate_failure: failed,
  } = state;
  return [
    ...(phase === null ? [] : [`gate ${phase.gate} waits for approval: ${phase.from} → ${phase.to}`]),
    ...(end === null ? [] : [`gate ${end.gate} waits for approval: the end of the run`]),
    ...(why === null ? [] : [`blocked on ${state.blocked_on}: ${why.recovery.detail}`]),
    // What was judged is kept as codes with parameters; the sentences are made of them.
    ...(failed?.reasons ?? []).map((reason) => `gate ${failed?.gate} did not open: ${sentenceOf(reason as Reason)}`),
    ...Object.values(state.active_turns).flatMap(({ turn_id, last_rejection: last }) =>
      last === null || last === undefined ? [] : [`${turn_id} was sent back (try ${last.attempt}): ${last.reason}`],
    ),
  ];
}
