/**
 * An agent made of a CLI: each turn is one run of it, and a thread is one of its conversations if it can resume them.
 *
 * The door of this room. A record (`records/`) says how one CLI is called and read, `output/` turns lines into an answer or
 * an error, run-once.ts runs it through processes/. Must stay true: reading is pure and never throws; secrets stay out of
 * errors.
 */

import { randomUUID } from 'node:crypto';
import type { AgentFn, AgentReply, ThreadContext, TurnOptions, Usage } from '../agent/agent-fn.ts';
import type { CliOptions } from './cli-options.ts';
import type { CliOutput } from './output/cli-output.ts';
import { finishTurn, saidBeside } from './output/finish-turn.ts';
import { buildPrompt, type PromptState, toPromptState } from './prompt.ts';
import type { CliRecord } from './records/cli-record.ts';
import { type Attempt, runOnce } from './run-once.ts';

export function createCliAgent<State extends CliOutput>(record: CliRecord<State>, options: CliOptions = {}): AgentFn {
  const sessions = createNativeSessions();
  return async (ctx, systemPrompt, turn) => {
    const isResuming = record.resume !== null && options.resume !== false;
    const known = isResuming ? sessionOf(ctx, systemPrompt, turn, sessions) : null;
    const attempt = await tryTurn(record, options, ctx, systemPrompt, turn, known);
    const reply = marked(record, attempt, finishTurn(record, attempt.ran, attempt.heard, attempt.secrets));
    const answered = isResuming ? named(reply, attempt) : reply;
    if (isResuming) remember(sessions, ctx, systemPrompt, answered, attempt.heard);
    return answered;
  };
}

/** Of plain text every line is a part of the answer: of one that was cut its reader should know. */
function marked<State extends CliOutput>(
  record: CliRecord<State>,
  { ran }: Attempt<State>,
  reply: AgentReply,
): AgentReply {
  const isCut = record.output === 'text' && ran.hasCutLine === true;
  return isCut ? { ...reply, meta: { ...reply.meta, is_cut: true } } : reply;
}

/** One run; another one from the start when the tool has forgotten the conversation. */
async function tryTurn<State extends CliOutput>(
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
      prompt: buildPrompt(ctx, systemPrompt, null),
      resumed: null,
      newSession: isNamed ? `parley-${randomUUID()}` : undefined,
    });
  if (known === null) return anew();
  const prompt = buildPrompt(ctx, systemPrompt, known.told);
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

function isSessionUnknown<State extends CliOutput>(record: CliRecord<State>, { ran, heard }: Attempt<State>): boolean {
  const hasAnswer = heard.isDone && heard.failure === null;
  return !hasAnswer && record.resume !== null && record.resume.unknownSession.test(saidBeside(ran, heard));
}

/** A conversation that we have named is not named again by the tool. */
function named<State extends CliOutput>(reply: AgentReply, attempt: Attempt<State>): AgentReply {
  if (reply.native_session_id !== undefined || attempt.sessionId === null) return reply;
  return { ...reply, native_session_id: attempt.sessionId };
}

function remember(
  sessions: NativeSessions,
  ctx: ThreadContext,
  systemPrompt: string,
  reply: AgentReply,
  heard: CliOutput,
): void {
  const sessionId = reply.native_session_id;
  if (sessionId === undefined) return;
  sessions.keep(ctx.threadId, systemPrompt, {
    sessionId,
    told: toPromptState(ctx, systemPrompt, reply.text),
    threadUsage: heard.threadUsage,
  });
}

interface NativeSession {
  readonly sessionId: string;
  /** null: somebody else began it, and what it was told is unknown. */
  readonly told: PromptState | null;
  readonly threadUsage: Usage | null;
}

interface NativeSessions {
  find(threadId: string, systemPrompt: string): NativeSession | null;
  findById(sessionId: string): NativeSession | null;
  keep(threadId: string, systemPrompt: string, session: NativeSession): void;
}

/** A thread that is forgotten is told again from the start: more tokens, nothing lost. */
const maxThreads = 1_000;

function createNativeSessions(most: number = maxThreads): NativeSessions {
  const sessions = new Map<string, NativeSession>();
  const keyOf = (threadId: string, systemPrompt: string): string => JSON.stringify([threadId, systemPrompt]);
  return {
    find: (threadId, systemPrompt) => sessions.get(keyOf(threadId, systemPrompt)) ?? null,
    findById: (sessionId) => [...sessions.values()].find((session) => session.sessionId === sessionId) ?? null,
    keep: (threadId, systemPrompt, session) => {
      const key = keyOf(threadId, systemPrompt);
      sessions.delete(key);
      sessions.set(key, session);
      const [oldest] = sessions.keys();
      if (sessions.size > most && oldest !== undefined) sessions.delete(oldest);
    },
  };
}
