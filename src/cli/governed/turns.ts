/** `parley run assign`, `accept` and `reject`. */

import { sentenceOf } from '../../governed/engine/gates/verdict.ts';
import { getActiveTurn, getTurnStagingResultPath, type RunState, type Turn } from '../../governed/index.ts';
import { own } from '../../governed/engine/lib/unknown-record.ts';
import { nextRole } from '../../node/governed/loop/next-role.ts';
import type { TurnTaken } from '../../governed/runner/contract/types.ts';
import type { Asked } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine } from '../terminal/printable.ts';
import { Trouble } from '../terminal/command-error.ts';
import { nextSteps } from './next-steps.ts';
import { type Project, projectOf, runOf } from './project.ts';
import { refusedBy } from './explain-refusal.ts';

/** The turn with its bundle: what was assigned and not sent out, or sent back, goes out by the same words. */
export async function assign(asked: Asked, io: Io): Promise<number> {
  const project = await projectOf(asked);
  const state = await runOf(project);
  const role = asked.args.what ?? nextRole(state, project.config) ?? roleOut(state);
  if (role === null) {
    throw new Trouble('wrong', 'missing_argument', '"run assign" needs <what>: the role', 'Roles: agentxchain.json.');
  }
  const out = Object.values(state.active_turns).find(({ assigned_role }) => assigned_role === role);
  const turn = out !== undefined && !isUnderWay(out) ? out : await assigned(project, role);
  await sendOut(project, turn, io);
  return EXIT.done;
}

function roleOut(state: RunState): string | null {
  return getActiveTurn(state)?.assigned_role ?? null;
}

function isUnderWay({ status }: Turn): boolean {
  return status === 'dispatched' || status === 'starting' || status === 'running';
}

async function assigned(project: Project, role: string): Promise<Turn> {
  const { root, config, runner } = project;
  const made = await runner.assignTurn(root, config, role);
  if (!made.ok) throw await refusedBy(made, project);
  return made.turn;
}

async function sendOut(project: Project, turn: Turn, io: Io): Promise<void> {
  const { root, config, runner } = project;
  const { turn_id, assigned_role } = turn;
  const sent = await runner.writeDispatchBundle(root, null, config, { turnId: turn_id });
  if (!sent.ok) throw await refusedBy(sent, project);
  const staging = getTurnStagingResultPath(turn_id);
  const now = sent.state.active_turns[turn_id] ?? turn;
  io.put({ turn: now, bundle: sent.bundlePath, staging, warnings: sent.warnings, state: sent.state });
  io.say(`${turn_id} is out: ${assigned_role}, try ${now.attempt}`);
  const holder = own(project.served?.roles ?? {}, assigned_role);
  if (holder === undefined) {
    io.say(`  to read   ${sent.bundlePath}/PROMPT.md and CONTEXT.md`);
    io.say(`  to write  ${staging}`);
  } else io.say(printableLine(`  ${holder} is told of it in the hub`));
  for (const warning of sent.warnings) io.note(warning);
  for (const step of nextSteps(sent.state, project)) io.say(`Next: ${step}`);
}

export async function accept(asked: Asked, io: Io): Promise<number> {
  const project = await projectOf(asked);
  await runOf(project);
  const { root, config, runner } = project;
  const taken = await runner.acceptTurn(root, config, {
    ...(asked.args.what === undefined ? {} : { turnId: asked.args.what }),
    ...(asked.switches.has('merged') ? { resolutionMode: 'human_merge' as const } : {}),
  });
  if (!taken.ok) throw await refusedBy(taken, project);
  const { ok: _, ...answer } = taken;
  io.put(answer);
  for (const line of toldOf(taken)) io.say(printableLine(line));
  for (const warning of taken.warnings) io.note(warning);
  for (const step of nextSteps(taken.state, project)) io.say(`Next: ${step}`);
  return EXIT.done;
}

function toldOf({ accepted, state, gateResult, completionResult }: TurnTaken): readonly string[] {
  const verdict = completionResult ?? gateResult;
  return [
    `${accepted.turn_id} is accepted (${accepted.role}): ${accepted.summary}`,
    ...(verdict === null || verdict.action === 'no_request' ? [] : [`gate: ${verdict.action.replaceAll('_', ' ')}`]),
    ...(verdict !== null && 'reasons' in verdict ? verdict.reasons.map((reason) => `  ${sentenceOf(reason)}`) : []),
    `the run is ${state.status}, phase ${state.phase}`,
  ];
}

export async function reject(asked: Asked, io: Io): Promise<number> {
  const project = await projectOf(asked);
  await runOf(project);
  const { root, config, runner } = project;
  const { what: turnId } = asked.args;
  const reason = asked.values.reason ?? '';
  const sent = await runner.rejectTurn(root, config, null, reason, turnId === undefined ? {} : { turnId });
  if (!sent.ok) throw await refusedBy(sent, project);
  const { turn, escalated, state } = sent;
  if (escalated) {
    io.put({ turn, escalated, state });
    io.say(`${turn.turn_id} is sent back, and has no tries left: the run is blocked on ${state.blocked_on}`);
    for (const step of nextSteps(state, project)) io.say(`Next: ${step}`);
    return EXIT.done;
  }
  io.say(`${turn.turn_id} is sent back: ${printableLine(reason)}`);
  if (io.isJson) {
    const again = await runner.writeDispatchBundle(root, null, config, { turnId: turn.turn_id });
    if (!again.ok) throw await refusedBy(again, project);
    io.put({ turn: again.state.active_turns[turn.turn_id] ?? turn, escalated, state: again.state });
  } else await sendOut(project, turn, io);
  return EXIT.done;
}
