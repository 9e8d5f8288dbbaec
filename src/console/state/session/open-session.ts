/** Models the open session: its state, log window, texts being written, and replay. Pure. */

import type { ViewMessage } from '../../../core/ports/view.ts';
import type { ForwardedDelta } from '../../../core/protocol/frames/frames.ts';
import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';
import { type Envelope, HUB_ID, type Turn } from '../../../core/records/session/envelope.ts';
import { EMPTY_LOG, type LogWindow, withLive } from './log-window.ts';
import { type MarkAt, withMarks } from './marks.ts';
import { type WholeLog, withPushed } from './whole-log.ts';

export interface OpenSession {
  readonly id: string;
  /** The current state; null until it is read. */
  readonly now: SessionStateAt | null;
  readonly log: LogWindow;
  readonly turn: Turn | null;
  /** Unfinished texts, by turn. */
  readonly writing: ReadonlyMap<string, Writing>;
  readonly marks: readonly MarkAt[];
  /** The fold of the whole log for panels; null until it is requested. */
  readonly whole: WholeLog | null;
  /** True if the reader is at the newest line, so that new lines push old ones up. */
  readonly isFollowing: boolean;
  /** How new envelopes arrive: pushed by the hub, or polled if pushing is not allowed; null if not known yet. */
  readonly by: 'stream' | 'asking' | null;
  /** Why the hub refused the session; null if it did not. */
  readonly refusal: string | null;
  readonly replay: Replay | null;
}

export interface Writing {
  readonly senderId: string;
  readonly text: string;
  /** The local time of the latest fragment. */
  readonly atMs: number;
}

/** A past moment of the session, optionally in the view of a participant. */
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

/** Adds new envelopes. `turn`: the turn after the last of them; undefined if unknown. */
export function withArrived(
  session: OpenSession,
  arrived: readonly Envelope[],
  turn: Turn | null | undefined,
): OpenSession {
  if (arrived.length === 0) return session;
  const finished = new Set(arrived.map(({ causation_id }) => causation_id));
  const speakers = new Set(arrived.map(({ sender_id }) => sender_id));
  return {
    ...session,
    log: withLive(session.log, arrived, session.isFollowing),
    marks: withMarks(session.marks, arrived),
    whole: withPushed(session.whole, arrived),
    turn: turn === undefined ? session.turn : turn,
    writing: stillWriting(session, (turnId, { senderId }) => !finished.has(turnId) && !speakers.has(senderId)),
  };
}

/** Replaces the part of the log that the page holds. */
export function withLog(session: OpenSession, log: LogWindow): OpenSession {
  return { ...session, log, marks: withMarks(session.marks, log.envelopes) };
}

/** Clears the log after its history was rewritten. */
export function resetLog(session: OpenSession): OpenSession {
  return { ...session, log: EMPTY_LOG, marks: [], whole: null, writing: NOTHING_WRITTEN };
}

/** A writer counts as stopped after this silence. */
const SILENT_MS = 60_000;
/** The same limit while another participant has the turn. */
const TURN_PASSED_MS = 2000;

/** Sets the current state. Drops the texts of inactive or silent writers, and all texts of an ended session. */
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

/** Maximum length kept of a text (its end), and number of writers kept (the latest). */
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

/** The state to show: the replayed one, else the current one. */
export function displayState({ now, replay }: OpenSession): SessionStateAt | null {
  return replay === null ? now : (replay.state ?? now);
}
