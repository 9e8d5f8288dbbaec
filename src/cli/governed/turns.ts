/** Implements the actions of `parley run` that change a run by hand. */

import { describeReason } from '../../governed/engine/gates/verdict.ts';
import { getActiveTurn, getTurnStagingResultPath, type RunState, type Turn } from '../../governed/engine/index.ts';
import { getOwn } from '../../governed/engine/lib/unknown-record.ts';
import { nextRole } from '../../governed/loop/choose.ts';
import type { RunnerFailure, TurnTaken } from '../../governed/runner/contract/types.ts';
import { withdrawRun } from '../../governed/serving/withdrawn-runs.ts';
import type { CommandArgs } from '../terminal/command.ts';
import { usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine } from '../terminal/printable.ts';
import { explainRefusal } from './explain-refusal.ts';
import { sayNext } from './next-steps.ts';
import { loadProject, type Project, requireRun } from './project.ts';

/** Dispatches the role's assigned turn, or a new one if none waits for dispatch. */
export async function assign(args: CommandArgs, io: Io): Promise<number> {
  const project = await loadProject(args);
  const state = await requireRun(project);
  const role = args.positionals.what ?? nextRole(state, project.config) ?? activeRole(state);
  if (role === null) {
    throw usageError(
      'missing_argument',
      '"run assign" requires <what>: the role',
      'See agentxchain.json for the roles.',
    );
  }
  const active = Object.values(state.active_turns).find(({ assigned_role }) => assigned_role === role);
  const turn = active !== undefined && !isDispatched(active) ? active : await assigned(project, role);
  await dispatchTurn(project, turn, io);
  return EXIT.done;
}

function activeRole(state: RunState): string | null {
  return getActiveTurn(state)?.assigned_role ?? null;
}

function isDispatched({ status }: Turn): boolean {
  return status === 'dispatched' || status === 'starting' || status === 'running';
}

async function assigned(project: Project, role: string): Promise<Turn> {
  const { root, config, runner } = project;
  const made = await runner.assignTurn(root, config, role);
  if (!made.ok) throw await explainRefusal(made, project);
  return made.turn;
}

async function dispatchTurn(project: Project, turn: Turn, io: Io): Promise<void> {
  const { root, config, runner } = project;
  const { turn_id, assigned_role } = turn;
  const sent = await runner.writeDispatchBundle(root, null, config, { turnId: turn_id });
  if (!sent.ok) throw await explainRefusal(sent, project);
  const staging = getTurnStagingResultPath(turn_id);
  const now = sent.state.active_turns[turn_id] ?? turn;
  io.put({ turn: now, bundle: sent.bundlePath, staging, warnings: sent.warnings, state: sent.state });
  io.say(`${turn_id} is dispatched: ${assigned_role}, attempt ${now.attempt}`);
  const holder = getOwn(project.served?.roles ?? {}, assigned_role);
  if (holder === undefined) {
    io.say(`  read   ${sent.bundlePath}/PROMPT.md and CONTEXT.md`);
    io.say(`  write  ${staging}`);
  } else io.say(printableLine(`  the hub notifies ${holder}`));
  for (const warning of sent.warnings) io.note(warning);
  sayNext(sent.state, project, io);
}

export async function accept(args: CommandArgs, io: Io): Promise<number> {
  const project = await loadProject(args);
  await requireRun(project);
  const { root, config, runner } = project;
  const taken = await runner.acceptTurn(root, config, {
    ...(args.positionals.what === undefined ? {} : { turnId: args.positionals.what }),
    ...(args.switches.has('merged') ? { resolutionMode: 'human_merge' as const } : {}),
  });
  if (!taken.ok) throw await explainRefusal(taken, project);
  const { ok: _, ...answer } = taken;
  io.put(answer);
  for (const line of describeAccepted(taken)) io.say(printableLine(line));
  for (const warning of taken.warnings) io.note(warning);
  sayNext(taken.state, project, io);
  return EXIT.done;
}

function describeAccepted({ accepted, state, gateResult, completionResult }: TurnTaken): readonly string[] {
  const verdict = completionResult ?? gateResult;
  return [
    `${accepted.turn_id} is accepted (${accepted.role}): ${accepted.summary}`,
    ...(verdict === null || verdict.action === 'no_request' ? [] : [`gate: ${verdict.action.replaceAll('_', ' ')}`]),
    ...(verdict !== null && 'reasons' in verdict ? verdict.reasons.map((reason) => `  ${describeReason(reason)}`) : []),
    `the run is ${state.status}, phase ${state.phase}`,
  ];
}

export async function reject(args: CommandArgs, io: Io): Promise<number> {
  const project = await loadProject(args);
  await requireRun(project);
  const { root, config, runner } = project;
  const { what: turnId } = args.positionals;
  const reason = args.values.reason ?? '';
  const sent = await runner.rejectTurn(root, config, null, reason, turnId === undefined ? {} : { turnId });
  if (!sent.ok) throw await explainRefusal(sent, project);
  const { turn, escalated, state } = sent;
  if (escalated) {
    io.put({ turn, escalated, state });
    io.say(`${turn.turn_id} is rejected and has no attempts left: the run is blocked on ${state.blocked_on}`);
    sayNext(state, project, io);
    return EXIT.done;
  }
  io.say(`${turn.turn_id} is rejected: ${printableLine(reason)}`);
  if (io.isJson) {
    const again = await runner.writeDispatchBundle(root, null, config, { turnId: turn.turn_id });
    if (!again.ok) throw await explainRefusal(again, project);
    io.put({ turn: again.state.active_turns[turn.turn_id] ?? turn, escalated, state: again.state });
  } else await dispatchTurn(project, turn, io);
  return EXIT.done;
}

type Answer = { readonly ok: true; readonly state: RunState } | RunnerFailure;

export async function approve(args: CommandArgs, io: Io): Promise<number> {
  return steered(args, io, ({ runner, root, config }, state) => {
    const { note } = args.values;
    const options = note === undefined ? {} : { note };
    // If no gate awaits approval, the runner returns an error.
    return state.pending_run_completion === null
      ? runner.approvePhaseGate(root, config, options)
      : runner.approveCompletionGate(root, config, options);
  });
}

export async function block(args: CommandArgs, io: Io): Promise<number> {
  const reason = args.values.reason ?? '';
  return steered(args, io, ({ runner, root, config }) =>
    runner.escalate(root, config, { reason, turnId: args.positionals.what ?? null }),
  );
}

export async function resolve(args: CommandArgs, io: Io): Promise<number> {
  const { note } = args.values;
  return steered(args, io, ({ runner, root }, state) =>
    runner.reactivateRun(root, state, { via: 'parley run resolve', ...(note === undefined ? {} : { note }) }),
  );
}

async function steered(
  args: CommandArgs,
  io: Io,
  act: (project: Project, state: RunState) => Promise<Answer>,
): Promise<number> {
  const project = await loadProject(args);
  const answer = await act(project, await requireRun(project));
  if (!answer.ok) throw await explainRefusal(answer, project);
  const { state } = answer;
  io.put({ state });
  const why = state.blocked_on === null ? '' : ` on ${state.blocked_on}`;
  io.say(printableLine(`the run is ${state.status}${why}, phase ${state.phase}`));
  sayNext(state, project, io);
  return EXIT.done;
}

export async function takeBack(args: CommandArgs, io: Io): Promise<number> {
  const project = await loadProject(args);
  const answer = await withdrawRun(project.root);
  if (!answer.ok) throw await explainRefusal(answer, project);
  io.put({ root: project.root });
  io.say(printableLine(`the runs of ${project.root} continue from its files, without a hub`));
  return EXIT.done;
}
