/** `parley run loop`: the run goes on by itself, with the adapters of its runtimes. */

import type { RunState } from '../../governed/index.ts';
import { own } from '../../governed/engine/lib/unknown-record.ts';
import { dispatchByAdapter } from '../../governed/loop/driver-dispatch.ts';
import { nextRole } from '../../node/governed/loop/next-role.ts';
import { loopOver } from '../../node/governed/loop/run-loop.ts';
import type { LoopCallbacks, LoopEvent, LoopOptions, LoopResult, StopReason } from '../../governed/loop/types.ts';
import { systemClock } from '../../system/clock.ts';
import type { Asked } from '../terminal/command.ts';
import { EXIT, type ExitName } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine } from '../terminal/printable.ts';
import { timeoutIn } from '../../node/commands/run-options.ts';
import { Trouble, wrongValue } from '../terminal/command-error.ts';
import { watchForEnd } from '../../node/commands/governed/ended-early.ts';
import { type LiveLine, liveLine } from '../../node/commands/governed/live-line.ts';
import { lineOf, shownEvent } from './loop-display.ts';
import { nextSteps } from './next-steps.ts';
import { adapterFaultsOf, CONFIG_FILE, type Project, projectOf } from './project.ts';
import { servedBy } from '../../node/commands/governed/served-by.ts';
import { untilStopped } from '../../node/commands/governed/stopped-by-hand.ts';

export async function loop(asked: Asked, io: Io): Promise<number> {
  const { values, switches } = asked;
  const maxTurns = values['max-turns'] === undefined ? undefined : turnsIn(values['max-turns']);
  const timeoutMs = values.timeout === undefined ? undefined : timeoutIn(values.timeout);
  const project = await projectOf(asked);
  const { root, config, runner } = project;
  await checkAdapters(project);
  const live = liveLine(process.stderr);
  const hand = untilStopped(() => io.note('stopping: what is out stays out; once more to end at once'));
  const out = new Map<string, string>();
  const watch = watchForEnd(hand.signal, () => [...out].map(([turn, role]) => `${turn} (${role})`));
  try {
    const result = await loopOver({ runner, clock: systemClock })(
      root,
      config,
      {
        selectRole: nextRole,
        dispatch: shownOn(live, out, dispatchByAdapter({ timeoutMs, write: (text) => sayToPeople(text, io) })),
        approveGate: (_, state) => switches.has('approve-gates') && !isCredentialed(state, project),
        onEvent: (event) => {
          live.clear();
          tell(event, io);
        },
      },
      { ...optionsOf(asked), signal: hand.signal, maxTurns, turnTimeoutMs: timeoutMs },
    );
    // It may have come or gone meanwhile.
    return ended(result, { ...project, served: await servedBy(root) }, io);
  } finally {
    watch.end();
    live.clear();
    hand.end();
  }
}

/** Before anything is begun: the first turn would be blocked by it, or one that comes hours later. */
async function checkAdapters(project: Project): Promise<void> {
  const faults = await adapterFaultsOf(project);
  if (faults.length === 0) return;
  const what = `the adapters of ${CONFIG_FILE} are not right in ${faults.length} places`;
  throw new Trouble('wrong', 'bad_settings', what, `Correct ${CONFIG_FILE}, then try again.`, faults);
}

function optionsOf({ switches }: Asked): LoopOptions {
  const isNew = switches.has('new');
  return {
    startNewRunFromCompleted: isNew,
    startNewRunFromBlocked: isNew,
    provenance: { trigger: 'manual', created_by: 'parley run loop' },
  };
}

/** While it is out, a turn is on the line that lives. */
function shownOn(
  live: LiveLine,
  out: Map<string, string>,
  dispatch: LoopCallbacks['dispatch'],
): LoopCallbacks['dispatch'] {
  return async (context) => {
    const { turn_id, assigned_role } = context.turn;
    out.set(turn_id, assigned_role);
    live.show([...out.values()]);
    try {
      return await dispatch(context);
    } finally {
      out.delete(turn_id);
      live.show([...out.values()]);
    }
  };
}

function turnsIn(given: string): number {
  if (/^\d{1,6}$/.test(given) && Number(given) > 0) return Number(given);
  throw wrongValue('--max-turns', 'a whole number from 1', given);
}

/** A policy opens no gate that asks for somebody's credential. */
function isCredentialed(state: RunState, { config }: Project): boolean {
  const gate = (state.pending_phase_transition ?? state.pending_run_completion)?.gate ?? null;
  return gate === null || own(config.gates, gate)?.credentialed === true;
}

/** What adapters write is for whoever does the turn, in lines. */
function sayToPeople(text: string, io: Io): void {
  for (const line of text.trimEnd().split('\n')) io.note(line);
}

function tell(event: LoopEvent, io: Io): void {
  io.put(shownEvent(event));
  io.say(printableLine(lineOf(event)));
}

/** As the run stands is no failure of the loop; what it could not do is. */
const EXITS: Partial<Record<StopReason, ExitName>> = {
  completed: 'done',
  gate_held: 'done',
  caller_stopped: 'done',
  max_turns_reached: 'done',
  aborted: 'done',
  init_failed: 'refused',
  admission_rejected: 'wrong',
  blocked: 'refused',
  reject_exhausted: 'refused',
  conflict_loop: 'refused',
};

function ended(result: LoopResult, project: Project, io: Io): number {
  const { stop_reason, errors, state, turns_executed, gates_approved, turn_history } = result;
  const exit = EXITS[stop_reason] ?? 'failed';
  const next = state === null ? [] : nextSteps(state, project);
  io.put({
    event: 'ended',
    root: project.root,
    ok: result.ok,
    stop_reason,
    turns_executed,
    gates_approved,
    turn_history,
    errors,
    next,
  });
  if (state === null || exit === 'failed' || stop_reason === 'init_failed') throw notRun(result, exit, next);
  const done = turn_history.filter(({ accepted }) => accepted).length;
  io.say(
    `${stop_reason.replaceAll('_', ' ')}: ${done} turns accepted, ${turns_executed} tries; the run is ${state.status}`,
  );
  for (const { code, message } of exit === 'done' ? [] : errors) io.note(`${code}: ${message}`);
  for (const step of next) io.say(`Next: ${step}`);
  return EXIT[exit];
}

function notRun({ stop_reason, errors }: LoopResult, exit: ExitName, next: readonly string[]): Trouble {
  const isBusy = errors.some(({ code }) => code === 'loop_running');
  const hint = isBusy ? 'Let it end, or stop it with Ctrl-C.' : `Next: ${next.join('; or ') || 'parley run status'}`;
  const told = errors.map(({ code, message }) => `${code}: ${message}`);
  return new Trouble(
    isBusy ? 'inUse' : exit,
    stop_reason,
    `the loop ended: ${stop_reason.replaceAll('_', ' ')}`,
    hint,
    told,
  );
}
