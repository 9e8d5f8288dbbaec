/** `parley run loop`: runs turns with the configured runtimes until the run stops. */

import type { RunState } from '../../governed/engine/index.ts';
import { getOwn } from '../../governed/engine/lib/unknown-record.ts';
import { nextRole } from '../../governed/loop/choose.ts';
import { dispatchByDriver } from '../../governed/loop/driver-dispatch.ts';
import { createRunLoop } from '../../governed/loop/run-loop.ts';
import type { LoopCallbacks, LoopEvent, LoopOptions, LoopResult, StopReason } from '../../governed/loop/types.ts';
import { systemClock } from '../../system/clock.ts';
import { parseTimeout } from '../agent-options/run-options.ts';
import type { CommandArgs } from '../terminal/command.ts';
import { CommandError, invalidValueError, usageError } from '../terminal/command-error.ts';
import { EXIT, type ExitName } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine } from '../terminal/printable.ts';
import { createLiveLine, type LiveLine, loopEventJson, loopEventText } from './loop-display.ts';
import { nextSteps } from './next-steps.ts';
import { CONFIG_FILE, driverFaults, findServingHub, loadProject, type Project } from './project.ts';

export async function loop(args: CommandArgs, io: Io): Promise<number> {
  const { values, switches } = args;
  const maxTurns = values['max-turns'] === undefined ? undefined : turnsIn(values['max-turns']);
  const timeoutMs = values.timeout === undefined ? undefined : parseTimeout(values.timeout);
  const project = await loadProject(args);
  const { root, config, runner } = project;
  await checkAdapters(project);
  const live = createLiveLine(process.stderr);
  const stop = waitForStop(() =>
    io.note('stopping after the current step; press Ctrl-C once more to exit immediately'),
  );
  const dispatched = new Map<string, string>();
  const watch = guardExit(stop.signal, () => [...dispatched].map(([turn, role]) => `${turn} (${role})`));
  try {
    const result = await createRunLoop({ runner, clock: systemClock })(
      root,
      config,
      {
        selectRole: nextRole,
        dispatch: shownOn(live, dispatched, dispatchByDriver({ timeoutMs, write: (text) => noteLines(text, io) })),
        approveGate: (_, state) => switches.has('approve-gates') && !isCredentialed(state, project),
        onEvent: (event) => {
          live.clear();
          reportEvent(event, io);
        },
      },
      { ...optionsOf(args), signal: stop.signal, maxTurns, turnTimeoutMs: timeoutMs },
    );
    // The hub may have started or stopped since the project was loaded.
    return ended(result, { ...project, served: await findServingHub(root) }, io);
  } finally {
    watch.end();
    live.clear();
    stop.end();
  }
}

/** Check before the run starts: faulty settings might otherwise block a turn hours later. */
async function checkAdapters(project: Project): Promise<void> {
  const faults = await driverFaults(project);
  if (faults.length === 0) return;
  const what = `${CONFIG_FILE}: ${faults.length} invalid adapter settings`;
  throw usageError('bad_settings', what, `Correct ${CONFIG_FILE}, then try again.`, faults);
}

function optionsOf({ switches }: CommandArgs): LoopOptions {
  const isNew = switches.has('new');
  return {
    startNewRunFromCompleted: isNew,
    startNewRunFromBlocked: isNew,
    provenance: { trigger: 'manual', created_by: 'parley run loop' },
  };
}

/** Shows a turn on the live line while it is dispatched. */
function shownOn(
  live: LiveLine,
  dispatched: Map<string, string>,
  dispatch: LoopCallbacks['dispatch'],
): LoopCallbacks['dispatch'] {
  return async (context) => {
    const { turn_id, assigned_role } = context.turn;
    dispatched.set(turn_id, assigned_role);
    live.show([...dispatched.values()]);
    try {
      return await dispatch(context);
    } finally {
      dispatched.delete(turn_id);
      live.show([...dispatched.values()]);
    }
  };
}

function turnsIn(value: string): number {
  if (/^\d{1,6}$/.test(value) && Number(value) > 0) return Number(value);
  throw invalidValueError('--max-turns', 'a whole number from 1', value);
}

/** True if the gate requires a credential: --approve-gates never opens it. */
function isCredentialed(state: RunState, { config }: Project): boolean {
  const gate = (state.pending_phase_transition ?? state.pending_run_completion)?.gate ?? null;
  return gate === null || getOwn(config.gates, gate)?.credentialed === true;
}

function noteLines(text: string, io: Io): void {
  for (const line of text.trimEnd().split('\n')) io.note(line);
}

function reportEvent(event: LoopEvent, io: Io): void {
  io.put(loopEventJson(event));
  io.say(printableLine(loopEventText(event)));
}

/** A run that stops as configured is not a failure of the loop. */
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
  const { root } = project;
  const counts = { turns_executed, gates_approved, turn_history };
  io.put({ event: 'ended', root, ok: result.ok, stop_reason, ...counts, errors, next });
  if (state === null || exit === 'failed' || stop_reason === 'init_failed') throw notRun(result, exit, next);
  const done = turn_history.filter(({ accepted }) => accepted).length;
  const reason = stop_reason.replaceAll('_', ' ');
  io.say(`${reason}: ${done} turns accepted in ${turns_executed} attempts; the run is ${state.status}`);
  for (const { code, message } of exit === 'done' ? [] : errors) io.note(`${code}: ${message}`);
  for (const step of next) io.say(`Next: ${step}`);
  return EXIT[exit];
}

function notRun({ stop_reason, errors }: LoopResult, exit: ExitName, next: readonly string[]): CommandError {
  const isBusy = errors.some(({ code }) => code === 'loop_running');
  const hint = isBusy ? 'Wait for it, or stop it with Ctrl-C.' : `Next: ${next.join('; or ') || 'parley run status'}`;
  const problems = errors.map(({ code, message }) => `${code}: ${message}`);
  const message = `the loop ended: ${stop_reason.replaceAll('_', ' ')}`;
  return new CommandError(isBusy ? 'inUse' : exit, stop_reason, message, hint, problems);
}

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

function waitForStop(onFirst: () => void): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const heard = (name: keyof typeof CODES): void => {
    if (controller.signal.aborted) process.exit(CODES[name]);
    onFirst();
    controller.abort(new Error(`stopped by ${name}`));
  };
  const [interrupt, terminate] = [() => heard('SIGINT'), () => heard('SIGTERM')];
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', terminate);
  return {
    signal: controller.signal,
    end() {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', terminate);
    },
  };
}

/** Reports a driver that ends the process, with the dispatched turns; silent after Ctrl-C. */
function guardExit(signal: AbortSignal, dispatched: () => readonly string[]): { end(): void } {
  const onExit = (code: number): void => {
    if (signal.aborted) return;
    const when = dispatched().length === 0 ? '' : ` while ${dispatched().join(', ')} was dispatched`;
    const what = `the loop has not finished, but its process ended${when} (exit code ${code})`;
    process.stderr.write(`${printableLine(`parley: ${what}`)}\n`);
    process.stderr.write(
      'A runtime driver of the project must not call process.exit. Continue with: parley run loop\n',
    );
    process.exitCode = EXIT.failed;
  };
  process.once('exit', onExit);
  return { end: () => void process.off('exit', onExit) };
}
