/** `parley run status`, `history` and `ledger`: the state of a run, its accepted turns, and its decisions. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FOLDER } from '../../governed/engine/dispatch/paths.ts';
import { describeReason, type Reason } from '../../governed/engine/gates/verdict.ts';
import { getTurnStagingResultPath, phasesOf, type RunState, type Turn } from '../../governed/engine/index.ts';
import { isRecord, type UnknownRecord } from '../../governed/engine/lib/unknown-record.ts';
import { recordsIn } from '../../governed/files/read-text.ts';
import { readStagedResult } from '../../governed/staging/staged-result.ts';
import { formatDuration, formatRelative, printTable, type Table, writeColumns } from '../terminal/columns.ts';
import type { CommandArgs } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine } from '../terminal/printable.ts';
import { nextSteps, type StagedState } from './next-steps.ts';
import { loadProject, loadRunState, type Project, requireRun, servingHubText } from './project.ts';

export async function status(args: CommandArgs, io: Io): Promise<number> {
  const project = await loadProject(args);
  const { root, served } = project;
  const state = await loadRunState(project);
  const staged = await stagedStates(project, state);
  const next = nextSteps(state, project, (id) => staged.get(id) ?? 'nothing');
  const turns = Object.values(state?.active_turns ?? {});
  io.put({
    root,
    run_id: state?.run_id ?? null,
    status: state?.status ?? 'idle',
    phase: state?.phase ?? null,
    turns: turns.map((turn) => turnJson(turn, staged)),
    waits_for: waitsFor(state),
    served,
    next,
    state,
  });
  if (io.isJson) return EXIT.done;
  sayRun(project, state, io);
  if (served !== null) io.say(printableLine(servingHubText(served)));
  if (turns.length > 0) {
    const rows = turns.map((turn) => rowOf(turn, staged));
    writeColumns(io.terminal, ['turn', 'role', 'status', 'attempt', 'since', 'until', 'result'], rows);
  }
  for (const line of openItems(state)) io.say(printableLine(line));
  for (const step of next) io.say(`Next: ${step}`);
  return EXIT.done;
}

async function stagedStates({ root }: Project, state: RunState | null): Promise<ReadonlyMap<string, StagedState>> {
  const found = new Map<string, StagedState>();
  for (const id of Object.keys(state?.active_turns ?? {})) {
    const { kind } = await readStagedResult(root, id);
    found.set(id, kind === 'ready' ? 'ready' : kind === 'absent' ? 'nothing' : 'not_whole');
  }
  return found;
}

function turnJson(turn: Turn, staged: ReadonlyMap<string, StagedState>) {
  const { turn_id, assigned_role: role, status: at, attempt, assigned_at, started_at, deadline_at } = turn;
  const times = { assigned_at, started_at, deadline_at };
  const staging = getTurnStagingResultPath(turn_id);
  return { turn_id, role, status: at, attempt, ...times, staging, result: staged.get(turn_id) };
}

/** The role or person that must act next; null if the run has ended. */
function waitsFor(state: RunState | null): string | null {
  if (state === null || state.status === 'idle') return 'somebody to begin it';
  if (state.status === 'completed' || state.status === 'failed') return null;
  if (state.status === 'paused') return 'approval';
  if (state.status === 'blocked') return state.blocked_reason?.recovery.owner ?? 'human';
  const roles = Object.values(state.active_turns).map(({ assigned_role }) => assigned_role);
  return roles.length === 0 ? 'an assignment' : roles.join(', ');
}

function sayRun({ root, config }: Project, state: RunState | null, io: Io): void {
  if (state === null || state.status === 'idle') return io.say(`no run has started in ${root}`);
  const phases = phasesOf(config);
  const at = state.phase === null ? -1 : phases.indexOf(state.phase);
  const where = at === -1 ? '' : `, phase ${state.phase} (${at + 1} of ${phases.length})`;
  const since = state.completed_at ?? state.blocked_reason?.blocked_at ?? state.phase_entered_at;
  const when = since === null ? '' : `, for ${formatDuration(Math.max(0, Date.now() - Date.parse(since)))}`;
  io.say(printableLine(`${state.run_id} is ${state.status}${where}${when}; ${state.accepted_sequence} turns accepted`));
}

function rowOf(turn: Turn, staged: ReadonlyMap<string, StagedState>): readonly string[] {
  const { turn_id, assigned_role, status: at, attempt, assigned_at, started_at, deadline_at } = turn;
  const since = started_at ?? assigned_at;
  const result = { nothing: 'none', not_whole: 'incomplete', ready: 'staged' }[staged.get(turn_id) ?? 'nothing'];
  return [turn_id, assigned_role, at, String(attempt), when(since), when(deadline_at), result];
}

function openItems(state: RunState | null): readonly string[] {
  if (state === null) return [];
  const { pending_phase_transition: phase, pending_run_completion: end, blocked_reason: why } = state;
  const failed = state.last_gate_failure;
  return [
    ...(phase === null ? [] : [`gate ${phase.gate} awaits approval: ${phase.from} → ${phase.to}`]),
    ...(end === null ? [] : [`gate ${end.gate} awaits approval: the end of the run`]),
    ...(why === null ? [] : [`blocked on ${state.blocked_on}: ${why.recovery.detail}`]),
    // Convert the reasons to text: they are stored as codes with parameters.
    ...(failed?.reasons ?? []).map(
      (reason) => `gate ${failed?.gate} did not open: ${describeReason(reason as Reason)}`,
    ),
    ...Object.values(state.active_turns).flatMap(({ turn_id, last_rejection: last }) =>
      last === null || last === undefined ? [] : [`${turn_id} was rejected (attempt ${last.attempt}): ${last.reason}`],
    ),
  ];
}

interface Book extends Table<UnknownRecord> {
  readonly file: string;
}

const HISTORY: Book = {
  file: 'history.jsonl',
  heads: ['#', 'turn', 'role', 'phase', 'status', 'verified', 'when', 'summary'],
  empty: 'no turn was accepted yet',
  row: ({ accepted_sequence, turn_id, role, phase, status, verification, accepted_at, summary }) => {
    const verified = isRecord(verification) ? verification.status : '';
    return cells(accepted_sequence, turn_id, role, phase, status, verified, when(accepted_at), summary);
  },
};

const LEDGER: Book = {
  file: 'decision-ledger.jsonl',
  heads: ['decision', 'turn', 'role', 'phase', 'category', 'when', 'statement'],
  empty: 'no decision yet',
  row: ({ id, type, turn_id, role, phase, category, created_at, statement, decision }) =>
    cells(id ?? type, turn_id, role, phase, category, when(created_at), statement ?? decision),
};

export function history(args: CommandArgs, io: Io): Promise<number> {
  return printBook(HISTORY, args, io);
}

export function ledger(args: CommandArgs, io: Io): Promise<number> {
  return printBook(LEDGER, args, io);
}

async function printBook(book: Book, args: CommandArgs, io: Io): Promise<number> {
  const project = await loadProject(args);
  // Loading the run repairs its files first.
  await requireRun(project);
  const text = await readFile(join(project.root, RUN_FOLDER, book.file), 'utf8').catch(absent);
  await printTable(io, recordsIn(text), book);
  return EXIT.done;
}

function cells(...values: readonly unknown[]): readonly string[] {
  return values.map((value) => String(value ?? ''));
}

function absent(thrown: NodeJS.ErrnoException): null {
  if (thrown.code === 'ENOENT') return null;
  throw thrown;
}

function when(iso: unknown): string {
  return typeof iso === 'string' ? formatRelative(iso, Date.now()) : '';
}
