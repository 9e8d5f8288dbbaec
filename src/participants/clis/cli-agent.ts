/** An agent made of a CLI: each turn is one run of it, and a thread is one of its conversations where it can go on with them. */

import { randomUUID } from 'node:crypto';
import type { AgentFn, AgentReply, ThreadContext, TurnOptions } from '../agent/agent-fn.ts';
import type { RunLimitOptions } from '../processes/program.ts';
import type { CliRecord, Permissions } from './records/cli-record.ts';
import { saidBeside } from './output/finish-turn.ts';
import type { Heard } from './output/cli-output.ts';
import { createNativeSessions, type NativeSession, type NativeSessions } from '../../node/clis/native-sessions.ts';
import { promptOf, told } from './prompt.ts';
import { type Attempt, runOnce } from './run-once.ts';

export interface CliOptions {
  /** A path or a name in PATH; without it, the tool's own name. */
  readonly command?: string | undefined;
  /** Arguments beside those the adapter gives. */
  readonly args?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Names taken over from our environment, beside those the tool is known to need. */
  readonly passEnv?: readonly string[] | undefined;
  /** A home folder of its own. */
  readonly home?: string | undefined;
  /** 300 s unless told otherwise; null = no bound. */
  readonly timeoutMs?: number | null | undefined;
  readonly limits?: RunLimitOptions | undefined;
  /** `safe` unless told otherwise: it may read and answer. */
  readonly permissions?: Permissions | undefined;
  /** Go on with the tool's own conversation from turn to turn, as is usual; false tells it everything every time. */
  readonly resume?: boolean | undefined;
}

export function agentOf<State extends Heard>(record: CliRecord<State>, options: CliOptions = {}): AgentFn {
  const sessions = createNativeSessions();
  return async (ctx, systemPrompt, turn) => {
    const isResuming = record.resume !== null && options.resume !== false;
    const known = isResuming ? sessionOf(ctx, systemPrompt, turn, sessions) : null;
    const attempt = await tryTurn(record, options, ctx, systemPrompt, turn, known);
    const reply = marked(record, attempt, record.finish(attempt.ran, attempt.heard, attempt.secrets));
    const answered = isResuming ? named(reply, attempt) : reply;
    if (isResuming) remember(sessions, ctx, systemPrompt, answered, attempt.heard);
    return answered;
  };
}

/** Of plain text every line is a part of the answer: of one that was cut its reader should know. */
function marked<State extends Heard>(record: CliRecord<State>, { ran }: Attempt<State>, reply: AgentReply): AgentReply {
  const isCut = record.output === 'text' && ran.hasCutLine === true;
  return isCut ? { ...reply, meta: { ...reply.meta, is_cut: true } } : reply;
}

/** One run; another one from the start when the tool has forgotten the conversation. */
async function tryTurn<State extends Heard>(
  record: CliRecord<State>,
  options: CliOptions,
  ctx: ThreadContext,
  systemPrompt: string,
  turn: TurnOptions | undefined,
  known: NativeSession | null,
): Promise<Attempt<State>> {
  const isNamed = record.resume?.namedBy === 'caller' && options.resume !== false;
  const anew = (): Promise<Attempt<State>> =>
    runOnce(record, options, turn, {
      prompt: promptOf(ctx, systemPrompt, null),
      resumed: null,
      newSession: isNamed ? `parley-${randomUUID()}` : undefined,
    });
  if (known === null) return anew();
  const prompt = promptOf(ctx, systemPrompt, known.told);
  const attempt = await runOnce(record, options, turn, { prompt, resumed: known, newSession: undefined });
  if (!isSessionUnknown(record, attempt)) return attempt;
  turn?.onProgress({ kind: 'note', text: `${record.tool} does not know ${known.sessionId} any more; it begins anew` });
  return anew();
}

/** Who calls with a `nativeSessionId` knows which conversation it is, or that there is none yet; else it is what was noted. */
function sessionOf(
  ctx: ThreadContext,
  systemPrompt: string,
  turn: TurnOptions | undefined,
  sessions: NativeSessions,
): NativeSession | null {
  if (turn === undefined || !('nativeSessionId' in turn)) return sessions.find(ctx.threadId, systemPrompt);
  const sessionId = turn.nativeSessionId;
  if (sessionId === undefined) return null;
  return sessions.findById(sessionId) ?? { sessionId, told: null, threadUsage: null };
}

function isSessionUnknown<State extends Heard>(record: CliRecord<State>, { ran, heard }: Attempt<State>): boolean {
  const hasAnswer = heard.isDone && heard.failure === null;
  return !hasAnswer && record.resume !== null && record.resume.unknownSession.test(saidBeside(ran, heard));
}

/** A conversation that we have named is not named again by the tool. */
function named<State extends Heard>(reply: AgentReply, attempt: Attempt<State>): AgentReply {
  if (reply.native_session_id !== undefined || attempt.sessionId === null) return reply;
  return { ...reply, native_session_id: attempt.sessionId };
}

function remember(
  sessions: NativeSessions,
  ctx: ThreadContext,
  systemPrompt: string,
  reply: AgentReply,
  heard: Heard,
): void {
  const sessionId = reply.native_session_id;
  if (sessionId === undefined) return;
  sessions.keep(ctx.threadId, systemPrompt, {
    sessionId,
    told: told(ctx, systemPrompt, reply.text),
    threadUsage: heard.threadUsage,
  });
}
