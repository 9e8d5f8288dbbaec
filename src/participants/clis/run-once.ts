/** Runs a CLI once: delivers the prompt and reads the output as it arrives, keeping it even if the run is stopped. */

import { AgentError, type AgentErrorKind, isAgentError } from '../agent/agent-error.ts';
import type { TurnOptions } from '../agent/agent-fn.ts';
import { findSecrets, redactSecrets } from '../lib/redact-secrets.ts';
import { programEnvironment } from '../processes/environment.ts';
import { type Program, type ProgramResult, runLimits } from '../processes/program.ts';
import { runProgram } from '../processes/run-program.ts';
import type { CliOptions } from './cli-options.ts';
import { type DeliveredPrompt, deliverPrompt } from './deliver-prompt.ts';
import type { CliOutput } from './output/cli-output.ts';
import { kindOfText } from './output/failure-kind.ts';
import type { Ask, CliRecord, Resumed } from './records/cli-record.ts';

interface RunRequest {
  readonly prompt: string;
  readonly resumed: Resumed | null;
  readonly newSession: string | undefined;
}

export interface Attempt<State extends CliOutput> {
  readonly ran: ProgramResult;
  readonly heard: State;
  /** The session id we chose, for tools that do not report it. */
  readonly sessionId: string | null;
  readonly secrets: readonly string[];
}

export async function runOnce<State extends CliOutput>(
  record: CliRecord<State>,
  options: CliOptions,
  turn: TurnOptions | undefined,
  once: RunRequest,
): Promise<Attempt<State>> {
  const delivered = await deliverPrompt(record.transport, once.prompt);
  const program = programOf(record, options, turn, once, delivered);
  const secrets = findSecrets(programEnvironment(program));
  const sessionId = once.resumed?.sessionId ?? once.newSession ?? null;
  let heard = record.begin(once.resumed);
  const onLine = (line: string): void => {
    const reading = record.read(line, heard);
    heard = reading.state;
    if (reading.delta !== undefined) turn?.onDelta(reading.delta);
    if (reading.progress === undefined) return;
    const { kind, text } = reading.progress;
    turn?.onProgress({ kind, text: redactSecrets(text, secrets) });
  };
  const isDone = (): boolean => heard.failure !== null || (record.ending === 'event' && heard.isDone);
  // The tool reported a failure but would keep retrying.
  const isHopeless = (): boolean => heard.failure !== null && !heard.isDone;
  const watch = { onLine, isDone, isHopeless, signal: turn?.signal };
  try {
    const ran = await runProgram(program, watch, runLimits({ wallMs: options.timeoutMs }, options.limits ?? {}));
    return { ran, heard, sessionId, secrets };
  } catch (error) {
    throw withHeard(error, record, heard, sessionId, secrets);
  } finally {
    await delivered.close();
  }
}

function programOf<State extends CliOutput>(
  record: CliRecord<State>,
  options: CliOptions,
  turn: TurnOptions | undefined,
  once: RunRequest,
  delivered: DeliveredPrompt,
): Program {
  const permit = record.permits[options.permissions ?? 'safe'];
  const ask: Ask = {
    model: options.model,
    resume: once.resumed?.sessionId,
    newSession: once.newSession,
    promptFile: delivered.promptFile,
    prompt: delivered.prompt,
    budgetUsd: turn?.budget?.usd,
    extra: [...(permit.args ?? []), ...(options.args ?? [])],
  };
  const ownFolders = options.home === undefined ? record.env.home : [];
  return {
    tool: record.tool,
    command: options.command ?? record.command,
    args: record.args(ask),
    cwd: options.cwd,
    env: { ...record.env.set, ...permit.env, ...options.env },
    passEnv: [...record.env.pass, ...ownFolders, ...(options.passEnv ?? [])],
    home: options.home,
    stdin: delivered.stdin,
  };
}

/** Adds the partial answer and the session id to the error of a stopped run. */
function withHeard<State extends CliOutput>(
  error: unknown,
  record: CliRecord<State>,
  heard: State,
  sessionId: string | null,
  secrets: readonly string[],
): unknown {
  if (!isAgentError(error)) return error;
  const { tool } = error.details;
  const problem = error.message.startsWith(`${tool}: `) ? error.message.slice(tool.length + 2) : error.message;
  const known = heard.sessionId ?? sessionId;
  const details = {
    ...error.details,
    ...(heard.partial === '' ? {} : { partial: heard.partial }),
    ...(known === null ? {} : { native_session_id: known }),
  };
  const retried = error.kind === 'timeout' && heard.partial === '' ? lastRetry(record, error) : null;
  const shown = retried === null ? problem : `still retrying: ${retried.line}`;
  return new AgentError(retried?.kind ?? error.kind, shown, details, { secrets, cause: error });
}

/** The last retry message and its kind, to explain a timeout without any answer; null if there is none. */
function lastRetry<State extends CliOutput>(
  record: CliRecord<State>,
  { details }: AgentError,
): { readonly line: string; readonly kind: AgentErrorKind } | null {
  const line = record.retryLines === undefined ? undefined : details.stderr?.match(record.retryLines)?.at(-1);
  const kind = line === undefined ? null : kindOfText(line);
  return line === undefined || kind === null ? null : { line, kind };
}
