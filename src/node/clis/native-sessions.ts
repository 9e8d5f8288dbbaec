/**
 * Which conversation of a tool belongs to which thread, and what it was told. Kept for the life of the agent. Two roles may
 * share an agent and a thread: each has a conversation of its own.
 */

import type { Usage } from '../../participants/agent/agent-fn.ts';
import type { Told } from '../../participants/clis/prompt.ts';

export interface NativeSession {
  readonly sessionId: string;
  /** null: somebody else began it, and what it was told is unknown. */
  readonly told: Told | null;
  readonly threadUsage: Usage | null;
}

export interface NativeSessions {
  find(threadId: string, systemPrompt: string): NativeSession | null;
  findById(sessionId: string): NativeSession | null;
  keep(threadId: string, systemPrompt: string, session: NativeSession): void;
}

/** A thread that is forgotten is told again from the start: more tokens, nothing lost. */
const mostThreads = 1_000;

export function createNativeSessions(most: number = mostThreads): NativeSessions {
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
