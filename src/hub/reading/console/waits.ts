/** Selects the waits and deadlines a reader may know: those caused by a whisper are shown only to its recipients. */

import { toWaitInput } from '../../../core/decisions/expectations-due.ts';
import { isoFromMs, isTime, msFromIso } from '../../../core/lib/time.ts';
import type { ExpectationSet, TimedEntry, Wait } from '../../../core/ports/expectation.ts';
import type {
  AwaitedSince,
  ExpectationStatus,
  NextDeadline,
  TurnSince,
} from '../../../core/protocol/operations/console-sessions.ts';
import { isTerminal } from '../../../core/records/session/session.ts';
import type { Head } from '../../../core/records/session/unit.ts';
import { changedAt, lifecycleDeadline } from '../../../core/state/fold-head.ts';
import type { SessionState } from '../../../core/state/state.ts';
import { openWaits } from '../../../core/state/waits.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import type { ReadingRooms } from '../log/read-access.ts';

/** The agent that reads; 'all' to show the waits of every agent. */
export type WaitAudience = 'all' | { readonly to: string };

export function visibleExpectations(
  state: SessionState,
  watch: ExpectationSet | null,
  shown: WaitAudience,
): readonly ExpectationStatus[] {
  return state.metadata.manifest.expectations.map((expectation, index) => {
    const entry = watch?.timed.find((one) => one.index === index);
    const waits = entry === undefined ? [] : waitsOf(state, entry, shown);
    const armed = waits.map(({ agent_id, since_seq, due_ms }) => ({ agent_id, since_seq, due_at: isoFromMs(due_ms) }));
    return { ...expectation, armed };
  });
}

function waitsOf(state: SessionState, entry: TimedEntry, shown: WaitAudience): readonly Wait[] {
  try {
    return openWaits(entry, toWaitInput(state)).filter(
      ({ agent_id, due_ms }) => isTime(due_ms) && maySee(state, agent_id, shown),
    );
  } catch {
    // The deadline reports the failure when it is due.
    return [];
  }
}

/** A reader sees its own waits, those of the session, and those of the turn holder. */
function maySee({ head }: SessionState, agentId: string | null, shown: WaitAudience): boolean {
  return shown === 'all' || agentId === null || agentId === shown.to || agentId === head.turn?.agent_id;
}

/** The next deadline, or null. `state` is null if the session is not loaded: an expectation then has no name. */
export function nextDeadline(
  head: Head,
  state: SessionState | null,
  watch: ExpectationSet | null,
  shown: WaitAudience,
): NextDeadline | null {
  const ending = ofLifecycle(head);
  const expected = isTerminal(head.state) ? null : firstExpected(head, state, watch, shown);
  const first = expected !== null && (ending === null || expected.at < ending.at) ? expected : ending;
  return first === null ? null : { ...first, at: isoFromMs(first.at) };
}

/** A deadline with its time in milliseconds. */
type Found = Omit<NextDeadline, 'at'> & { readonly at: number };

function firstExpected(
  head: Head,
  state: SessionState | null,
  watch: ExpectationSet | null,
  shown: WaitAudience,
): Found | null {
  if (state === null) {
    const at = head.due_at ?? null;
    return at === null || shown !== 'all' ? null : { at, what: 'expected', agent_id: null };
  }
  let first: Found | null = null;
  for (const watched of watch?.timed ?? []) {
    for (const { agent_id, due_ms } of waitsOf(state, watched, shown)) {
      if (first === null || due_ms < first.at) first = { at: due_ms, what: watched.entry.name, agent_id };
    }
  }
  return first;
}

function ofLifecycle(head: Head): Found | null {
  const at = lifecycleDeadline(head);
  if (at === null) return null;
  const { state, invite_deadline_at } = head;
  const isInvite = state === 'INVITED' && invite_deadline_at !== null && msFromIso(invite_deadline_at) === at;
  return { at, what: state === 'CLOSING' ? 'drain' : isInvite ? 'invites' : 'ttl', agent_id: null };
}

/** Maximum times cached. */
const KEPT = 4096;

/** Finds when a turn or an awaited decision began: from the loaded session, else by reading the log once. */
export class WaitStartTimes {
  private readonly rooms: Pick<ReadingRooms, 'store' | 'sessions'>;
  private readonly known = new LruCache<string>(KEPT);

  constructor(rooms: Pick<ReadingRooms, 'store' | 'sessions'>) {
    this.rooms = rooms;
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

  async awaitedOf(head: Head, awaits: Head['awaits']): Promise<AwaitedSince | null> {
    if (awaits === undefined) return null;
    const { text, grant, since_seq } = awaits;
    return { text, grant, since_seq, since_at: await this.timeOf(head, since_seq) };
  }

  /** The time at which an envelope of the session was accepted. */
  async timeOf(head: Head, seq: number): Promise<string> {
    if (seq >= head.seq) return changedAt(head);
    const { session_id } = head;
    const inMemory = this.rooms.sessions.peek(session_id)?.tailFrom(seq)?.[0]?.envelope;
    if (inMemory?.seq === seq) return inMemory.created_at;
    const key = `${session_id} ${seq}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const [entry] = await this.rooms.store.read(session_id, { from_seq: seq, to_seq: seq, limit: 1 });
    // The log is damaged at this seq: use the best known time.
    if (entry === undefined) return changedAt(head);
    this.known.set(key, entry.envelope.created_at);
    return entry.envelope.created_at;
  }
}
