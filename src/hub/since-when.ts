/** Since when it is somebody's turn, or something is waited for: of a session in memory that is known, of another it is read once. */

import type { AwaitedSince, TurnSince } from '../core/console-operations.ts';
import { changedAt, type Head } from '../core/state/fold-head.ts';
import type { SessionState } from '../core/state/state.ts';
import { isoFromMs } from '../core/time.ts';
import { LatestOf } from './lib/lru-cache.ts';
import type { HubParts } from './parts.ts';

/** A time each: rows that several people look at. */
const KEPT = 4096;

export class SinceWhen {
  private readonly parts: HubParts;
  private readonly known = new LatestOf<string>(KEPT);

  constructor(parts: HubParts) {
    this.parts = parts;
  }

  async turnOf(head: Head, state: SessionState | null): Promise<TurnSince | null> {
    const { turn } = head;
    if (turn === null) return null;
    const { agent_id, since_seq } = turn;
    const held = state?.pacing.turn ?? null;
    if (held !== null && held.agent_id === agent_id && held.since_seq === since_seq) {
      return { agent_id, since_seq, since_at: isoFromMs(held.at) };
    }
    return { agent_id, since_seq, since_at: await this.timeOf(head, since_seq) };
  }

  /** `head` is the newest of the log in which `awaits` stands. */
  async awaitedOf(head: Head, awaits: Head['awaits']): Promise<AwaitedSince | null> {
    if (awaits === undefined) return null;
    const { text, grant, since_seq } = awaits;
    return { text, grant, since_seq, since_at: await this.timeOf(head, since_seq) };
  }

  /** When an envelope of the session was accepted. */
  async timeOf(head: Head, seq: number): Promise<string> {
    if (seq >= head.seq) return changedAt(head);
    const { session_id } = head;
    const inMemory = this.parts.sessions.peek(session_id)?.tailFrom(seq)?.[0]?.envelope;
    if (inMemory?.seq === seq) return inMemory.created_at;
    const key = `${session_id} ${seq}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const [entry] = await this.parts.store.read(session_id, { from_seq: seq, to_seq: seq, limit: 1 });
    // Of a log that is damaged there nothing better is known.
    if (entry === undefined) return changedAt(head);
    this.known.set(key, entry.envelope.created_at);
    return entry.envelope.created_at;
  }
}
