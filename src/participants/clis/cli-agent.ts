/**
 * Makes an agent from a CLI: each turn is one run; a thread is one session of the tool, if the tool can resume sessions.
 * A record (`records/`) says how to call and read one CLI, `output/` turns lines into an answer or an error, run-once.ts
 * runs it. Reading is pure and never throws; secrets stay out of errors.
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
  const sessions = new NativeSessions();
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

/** In plain text every line is part of the answer, so tell the reader if one was truncated. */
function marked<State extends CliOutput>(
  record: CliRecord<State>,
  { ran }: Attempt<State>,
  reply: AgentReply,
): AgentReply {
  const isCut = record.output === 'text' && ran.hasCutLine === true;
  return isCut ? { ...reply, meta: { ...reply.meta, is_cut: true } } : reply;
}

/** Runs the tool; if the tool does not know the session, runs it again with the whole thread. */
async function tryTurn<State extends CliOutput>(
  record: CliRecord<State>,
  options: CliOptions,
  ctx: ThreadContext,
  systemPrompt: string,
  turn: TurnOptions | undefined,
  known: NativeSession | null,
): Promise<Attempt<State>> {
  const isNamed = record.resume?.namedBy === 'caller' && options.resume !== false;
  const fresh = (): Promise<Attempt<State>> =>
    runOnce(record, options, turn, {
      prompt: buildPrompt(ctx, systemPrompt, null),
      resumed: null,
      newSession: isNamed ? `parley-${randomUUID()}` : undefined,
    });
  if (known === null) return fresh();
  const prompt = buildPrompt(ctx, systemPrompt, known.told);
  const attempt = await runOnce(record, options, turn, { prompt, resumed: known, newSession: undefined });
  if (!isSessionUnknown(record, attempt)) return attempt;
  turn?.onProgress({ kind: 'note', text: `${record.tool} does not know ${known.sessionId}; starting a new session` });
  return fresh();
}

/** `nativeSessionId` takes precedence, even if undefined; if the key is absent, use the remembered session. */
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

/** Adds the session id we chose, since the tool does not report it. */
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
  /** null if the session was begun elsewhere: its prompts are unknown. */
  readonly told: PromptState | null;
  readonly threadUsage: Usage | null;
}

/** Beyond this number, the least recently used thread is forgotten; its next turn sends it from the start. */
const MAX_THREADS = 1_000;

class NativeSessions {
  private readonly sessions = new Map<string, NativeSession>();

  find(threadId: string, systemPrompt: string): NativeSession | null {
    return this.sessions.get(JSON.stringify([threadId, systemPrompt])) ?? null;
  }

  findById(sessionId: string): NativeSession | null {
    return [...this.sessions.values()].find((session) => session.sessionId === sessionId) ?? null;
  }

  keep(threadId: string, systemPrompt: string, session: NativeSession): void {
    const key = JSON.stringify([threadId, systemPrompt]);
    this.sessions.delete(key);
    this.sessions.set(key, session);
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > MAX_THREADS && oldest !== undefined) this.sessions.delete(oldest);
  }
}
