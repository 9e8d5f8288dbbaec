/** The session that is open: its state, the part of its log that is held, what is being written, and replay. Pure. */

import type { ViewMessage } from '../../../core/ports/view.ts';
import type { ForwardedDelta } from '../../../core/protocol/frames/frames.ts';
import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';
import { type Envelope, HUB_ID, type Turn } from '../../../core/records/session/envelope.ts';
import { EMPTY_LOG, type LogWindow, withLive } from './log-window.ts';
import { type MarkAt, withMarks } from './marks.ts';
import { type WholeLog, withPushed } from './whole-log.ts';

export interface OpenSession {
  readonly id: string;
  /** As it is now; null = not read yet. */
  readonly now: SessionStateAt | null;
  readonly log: LogWindow;
  readonly turn: Turn | null;
  /** By turn: what somebody shows of a text before it is said. */
  readonly writing: ReadonlyMap<string, Writing>;
  readonly marks: readonly MarkAt[];
  /** What panels tell of all of the log; null = none of them has asked yet. */
  readonly whole: WholeLog | null;
  /** Whoever looks is at the newest, and new lines push the old ones up. */
  readonly isFollowing: boolean;
  /** How the page hears of what is new: the hub pushes it, or it is asked for because that is not allowed. */
  readonly by: 'stream' | 'asking' | null;
  /** Why there is nothing to see. */
  readonly refusal: string | null;
  readonly replay: Replay | null;
}

export interface Writing {
  readonly senderId: string;
  readonly text: string;
  /** When the last of it came, by the clock of this machine. */
  readonly atMs: number;
}

/** A past moment of the session, and perhaps somebody's view of it. */
export interface Replay {
  readonly atSeq: number;
  readonly as: string | null;
  readonly state: SessionStateAt | null;
  readonly log: LogWindow;
  readonly view: readonly ViewMessage[] | null;
  readonly refusal: string | null;
}

const NOTHING_WRITTEN: OpenSession['writing'] = new Map();

export function newSession(id: string): OpenSession {
  return {
    id,
    now: null,
    log: EMPTY_LOG,
    turn: null,
    writing: NOTHING_WRITTEN,
    marks: [],
    whole: null,
    isFollowing: true,
    by: null,
    refusal: null,
    replay: null,
  };
}

/** What the hub pushed since the last time, with whose turn it was after the last of it. */
export function withArrived(
  session: OpenSession,
  arrived: readonly Envelope[],
  turn: Turn | null | undefined,
): OpenSession {
  if (arrived.length === 0) return session;
  const said = new Set(arrived.map(({ causation_id }) => causation_id));
  const speakers = new Set(arrived.map(({ sender_id }) => sender_id));
  return {
    ...session,
    log: withLive(session.log, arrived, session.isFollowing),
    marks: withMarks(session.marks, arrived),
    whole: withPushed(session.whole, arrived),
    turn: turn === undefined ? session.turn : turn,
    writing: stillWriting(session, (turnId, { senderId }) => !said.has(turnId) && !speakers.has(senderId)),
  };
}

/** Another part of the log is held. */
export function withLog(session: OpenSession, log: LogWindow): OpenSession {
  return { ...session, log, marks: withMarks(session.marks, log.envelopes) };
}

/** The log begins anew: its past was rewritten. */
export function resetLog(session: OpenSession): OpenSession {
  return { ...session, log: EMPTY_LOG, marks: [], whole: null, writing: NOTHING_WRITTEN };
}

/** Who shows nothing more for so long does not write any more. */
const SILENT_MS = 60_000;
/** And for so long, while it is the turn of another. */
const TURN_PASSED_MS = 2000;

/** As it is now: who is out of it, or stopped long ago, writes nothing more, and nobody does when it is over. */
export function withState(session: OpenSession, now: SessionStateAt, atMs: number): OpenSession {
  const { state, participants } = now.session;
  const active = new Set(participants.filter(({ status }) => status === 'active').map(({ agent_id }) => agent_id));
  const mostMs = (senderId: string): number =>
    now.turn === null || now.turn.agent_id === senderId ? SILENT_MS : TURN_PASSED_MS;
  const writing = stillWriting(
    session,
    (_, one) => state === 'ACTIVE' && active.has(one.senderId) && atMs - one.atMs < mostMs(one.senderId),
  );
  return { ...session, now, turn: now.turn, writing };
}

function stillWriting(
  { writing }: OpenSession,
  isStill: (turnId: string, writing: Writing) => boolean,
): OpenSession['writing'] {
  const rest = [...writing].filter(([turnId, one]) => isStill(turnId, one));
  return rest.length === writing.size ? writing : new Map(rest);
}

/** Of a text that is being written the end is shown; of many writers the latest. */
const MAX_WRITTEN = 16_384;
const MAX_WRITERS = 8;

export function withDeltas(session: OpenSession, deltas: readonly ForwardedDelta[], atMs: number): OpenSession {
  const writing = new Map(session.writing);
  for (const { turn_id, sender_id, text, index } of deltas) {
    const before = index === 0 ? '' : (writing.get(turn_id)?.text ?? '');
    writing.set(turn_id, { senderId: sender_id, text: `${before}${text}`.slice(-MAX_WRITTEN), atMs });
  }
  return { ...session, writing: new Map([...writing].slice(-MAX_WRITERS)) };
}

export function namesFrom(state: SessionStateAt | null): ReadonlyMap<string, string> {
  const participants = state?.session.participants ?? [];
  return new Map([[HUB_ID, 'hub'], ...participants.map(({ agent_id, name }) => [agent_id, name] as const)]);
}

/** What is looked at: the state and the log now, or then. */
export function displayState({ now, replay }: OpenSession): SessionStateAt | null {
  return replay === null ? now : (replay.state ?? now);
}
