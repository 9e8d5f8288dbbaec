/** Ends a turn: returns the answer if the final event reports success, otherwise throws the best matching error. */

import { AgentError, type AgentErrorDetails, type AgentErrorKind, nonZeroExit } from '../../agent/agent-error.ts';
import type { AgentReply } from '../../agent/agent-fn.ts';
import { redactSecrets } from '../../lib/redact-secrets.ts';
import type { ProgramResult } from '../../processes/program.ts';
import type { CliOutput } from './cli-output.ts';
import { kindOfText, parseRetryAfterMs } from './failure-kind.ts';

export interface Ending<State extends CliOutput = CliOutput> {
  /** Name in errors. */
  readonly tool: string;
  /** `event`: a final event marks the end. `exit`: exit code 0 does. */
  readonly ending: 'event' | 'exit';
  /** Exit codes with a specific meaning. */
  readonly exitKinds?: Readonly<Record<number, AgentErrorKind>>;
  /** Completes the output after the exit, for tools without a final event. */
  settle?(ran: ProgramResult, heard: State, secrets: readonly string[]): State;
}

/** Returns the answer or throws an AgentError, with `secrets` redacted. */
export function finishTurn<State extends CliOutput>(
  ending: Ending<State>,
  ran: ProgramResult,
  unsettled: State,
  secrets: readonly string[] = [],
): AgentReply {
  const heard = ending.settle?.(ran, unsettled, secrets) ?? unsettled;
  if (isAnswered(ending, ran, heard)) return replyOf(heard);
  throw failureOf(ending, ran, heard, secrets);
}

/** Errors printed outside of events. Excludes model text, which could mention "rate limit". */
export function saidBeside(ran: ProgramResult, heard: CliOutput): string {
  return [heard.failure?.message ?? '', heard.noise, ran.stderr].filter((text) => text !== '').join('\n');
}

function isAnswered({ ending }: Pick<Ending, 'ending'>, ran: ProgramResult, heard: CliOutput): boolean {
  if (heard.failure !== null || !heard.isDone || isBlank(heard.answer)) return false;
  return ending === 'event' || ran.exitCode === 0;
}

function replyOf(heard: CliOutput): AgentReply {
  return {
    text: heard.answer ?? '',
    cost_usd: heard.costUsd,
    meta: heard.meta,
    ...(heard.usage === null ? {} : { usage: heard.usage }),
    ...(heard.sessionId === null ? {} : { native_session_id: heard.sessionId }),
  };
}

type Known = Pick<Ending, 'tool' | 'ending' | 'exitKinds'>;

function failureOf(ending: Known, ran: ProgramResult, heard: CliOutput, secrets: readonly string[]): AgentError {
  const kind = kindOf(ending, ran, heard);
  const beside = saidBeside(ran, heard);
  const retryAfterMs = kind === 'rate_limited' || kind === 'overloaded' ? parseRetryAfterMs(beside) : null;
  const details: AgentErrorDetails = {
    tool: ending.tool,
    exitCode: ran.exitCode,
    signal: ran.signal,
    stdout: ran.stdout,
    stderr: ran.stderr,
    ...(heard.partial === '' ? {} : { partial: heard.partial }),
    ...(heard.sessionId === null ? {} : { native_session_id: heard.sessionId }),
    ...(retryAfterMs === null ? {} : { retry_after_ms: retryAfterMs }),
  };
  if (kind === 'non_zero_exit' && heard.failure === null) return nonZeroExit(details, { secrets });
  if (heard.failure?.isFound === true) return new AgentError(kind, heard.failure.message, details, { secrets });
  const problem = `${problemOf(kind, heard)} (${endOf(ran)})${detailOf(heard, beside, secrets)}`;
  return new AgentError(kind, problem, details, { secrets });
}

function kindOf(ending: Known, ran: ProgramResult, heard: CliOutput): AgentErrorKind {
  if (heard.failure !== null && heard.failure.kind !== null) return heard.failure.kind;
  if (heard.isDone && heard.failure === null && ran.exitCode === 0) return 'no_result';
  const byCode = ran.exitCode === null ? undefined : ending.exitKinds?.[ran.exitCode];
  const found = byCode ?? kindOfText(saidBeside(ran, heard));
  if (found !== null && found !== undefined) return found;
  const isSilent = ending.ending === 'event' && heard.isDone && heard.failure === null;
  if (ran.exitCode !== 0) return isSilent ? 'no_result' : 'non_zero_exit';
  return heard.isCut || heard.failure !== null ? 'bad_output' : 'no_result';
}

function problemOf(kind: AgentErrorKind, heard: CliOutput): string {
  if (heard.failure !== null) return 'it reports a failure';
  if (kind === 'bad_output') return 'its last line is truncated';
  if (kind !== 'no_result') return 'it failed';
  return heard.isDone ? 'it ended without text' : 'it ended without its result';
}

function endOf(ran: ProgramResult): string {
  return ran.signal === null ? `exitCode=${ran.exitCode ?? 'none'}` : `signal=${ran.signal}`;
}

function detailOf(heard: CliOutput, beside: string, secrets: readonly string[]): string {
  // Redact before truncating: half a secret is not recognised.
  const text = redactSecrets(heard.failure?.message || beside, secrets)
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? '' : `: ${text.slice(0, 1_000)}`;
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}
