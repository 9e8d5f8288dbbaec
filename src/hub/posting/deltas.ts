/**
 * Live partial text: who may speak now shows what it is writing to who will hear it. Hints, the first thing to go under
 * pressure: what does not fit is dropped without a word, nothing is kept, and nothing is decided by them.
 */

import { utf8Bytes } from '../../core/lib/json.ts';
import { encodeDelta } from '../../core/protocol/frames/frame-codec.ts';
import type { DeltaFrame } from '../../core/protocol/frames/frames.ts';
import { type Participant, participantOf } from '../../core/records/session/session.ts';
import type { SessionState } from '../../core/state/state.ts';
import { type Access, type ArbiterVerdicts, NO_VERDICTS } from '../access/access.ts';
import type { Binding } from '../bindings/binding.ts';
import type { Bindings } from '../bindings/bindings.ts';
import type { Observers } from '../delivery/observers.ts';
import type { Streams } from '../delivery/streams.ts';
import type { Ground } from '../log/ground.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Posting } from './post.ts';
import type { PostAuthorizer } from './post-authorizer.ts';

export interface DeltasNeeds extends Pick<Ground, 'clock' | 'limits'> {
  readonly sessions: Sessions;
  readonly bindings: Pick<Bindings, 'mayAct'>;
  readonly streams: Pick<Streams, 'readyFor'>;
  readonly observers: Pick<Observers, 'of'>;
  readonly access: Access;
  readonly gate: PostAuthorizer;
  readonly posting: Posting;
}

const AUDIENCE_TTL_MS = 1000;
const MAX_WAITING = 64;

export class Deltas {
  private readonly needs: DeltasNeeds;
  private readonly lanes = new DeltaStreams();

  constructor(needs: DeltasNeeds) {
    this.needs = needs;
  }

  receive(sender: Binding, delta: DeltaFrame): void {
    // What was written a moment ago counts for the next turn too, and for the next binding.
    const fresh = { left: this.needs.limits.maxDeltaRateBytes, atMs: this.now };
    const [lane, turn] = this.lanes.find(sender.agentId, delta, fresh);
    if (!this.fits(lane, turn, utf8Bytes(delta.text))) return;
    if (turn.waiting !== null) {
      if (turn.waiting.length < MAX_WAITING) turn.waiting.push(delta);
    } else if (this.isCurrent(turn.hearing, delta.session_id)) this.forward(sender, turn, delta);
    else this.findHearers(sender, turn, delta);
  }

  private fits(lane: DeltaStream, turn: Turn, bytes: number): boolean {
    const { maxDeltaRateBytes: perSecond, maxTurnDeltaBytes } = this.needs.limits;
    const { now } = this;
    lane.left = Math.min(perSecond, lane.left + ((now - lane.atMs) / 1000) * perSecond);
    lane.atMs = now;
    if (bytes > lane.left || turn.bytes + bytes > maxTurnDeltaBytes) return false;
    lane.left -= bytes;
    turn.bytes += bytes;
    return true;
  }

  private isCurrent(hearing: DeltaAudience | null, sessionId: string): boolean {
    if (hearing === null || hearing.untilMs <= this.now) return false;
    return this.needs.sessions.peek(sessionId)?.durable?.head.seq === hearing.headSeq;
  }

  /** At once where nothing has to be waited for, as for a post. */
  private findHearers(sender: Binding, turn: Turn, delta: DeltaFrame): void {
    const { sessions, gate } = this.needs;
    const { session_id } = delta;
    const draft = this.needs.posting.emptyDraft(sender, session_id, 'msg.text', turn.audience);
    const find = (session: LiveSession, verdicts: ArbiterVerdicts): DeltaAudience => {
      const { refusal, state } = this.needs.posting.judge(session, sender, draft, verdicts);
      return this.hearingOf(sender, turn, state, refusal === null);
    };
    const session = sessions.atHand(session_id);
    if (session?.durable != null && gate.isOpen(draft, session.durable.metadata)) {
      // A stranger learns as little from silence as from a session that is not there.
      if (participantOf(session.durable.metadata, sender.agentId) === undefined) return;
      turn.hearing = find(session, NO_VERDICTS);
      return this.forward(sender, turn, delta);
    }
    turn.waiting = [delta];
    void this.needs.posting
      .whenReady(sender, draft, async (loaded, verdicts) => find(loaded, verdicts))
      .catch(() => null)
      .then((hearing) => {
        // Who took over meanwhile is judged for itself.
        turn.hearing = this.needs.bindings.mayAct(sender) ? hearing : null;
        const waiting = turn.waiting ?? [];
        turn.waiting = null;
        for (const one of waiting) this.forward(sender, turn, one);
      });
  }

  private hearingOf(
    { agentId }: Binding,
    turn: Turn,
    { head, metadata }: SessionState,
    isAllowed: boolean,
  ): DeltaAudience {
    const hears = ({ agent_id, status }: Participant): boolean =>
      status === 'active' &&
      agent_id !== agentId &&
      (turn.audience === null || turn.audience.includes(agent_id)) &&
      !this.needs.access.mayKeepFrom(agent_id, agentId);
    const agentIds = isAllowed ? metadata.participants.filter(hears).map(({ agent_id }) => agent_id) : [];
    return { headSeq: head.seq, untilMs: this.now + AUDIENCE_TTL_MS, agentIds, isAllowed };
  }

  /** Who has not read what was sent before gets no hints. */
  private forward(sender: Binding, { audience, hearing }: Turn, delta: DeltaFrame): void {
    const { streams, observers } = this.needs;
    if (hearing?.isAllowed !== true) return;
    const { session_id, turn_id, index, text } = delta;
    const body = JSON.stringify({ session_id, sender_id: sender.agentId, turn_id, audience, index, text });
    for (const agentId of hearing.agentIds) {
      const recipient = streams.readyFor(agentId);
      if (recipient !== undefined && !recipient.isBackpressured) recipient.send(encodeDelta(agentId, false, body));
    }
    for (const { target } of observers.of(session_id)) {
      if (!target.isBackpressured) target.send(encodeDelta(target.agentId, true, body));
    }
  }

  private get now(): number {
    return this.needs.clock.monotonic();
  }
}

/* What is remembered of partial texts: per sender and session the latest turns, whom they are for, and how much may still come. */

/** Who hears a turn, as found when its session was at that seq. Nobody = it could not be said now. */
interface DeltaAudience {
  readonly headSeq: number;
  /** Rules and rates change without the session: by then it is asked again. */
  readonly untilMs: number;
  readonly agentIds: readonly string[];
  readonly isAllowed: boolean;
}

interface Turn {
  /** As the first delta said. */
  readonly audience: readonly string[] | null;
  bytes: number;
  hearing: DeltaAudience | null;
  /** What came while it is found out who hears it; null = that is known. */
  waiting: DeltaFrame[] | null;
}

/** What one sender shows in one session, whichever of its bindings it comes on. */
interface DeltaStream {
  /** The latest ones, by id: to go back to one begins nothing anew. */
  readonly turns: Map<string, Turn>;
  /** Bytes that may still come in this second. */
  left: number;
  atMs: number;
}

/** Turns that one sender writes at the same time in one session. */
const MAX_TURNS = 16;
/** Of all senders; the lane that began a turn the longest ago is forgotten first. */
const MAX_STREAMS = 4096;
/** Ids in all audiences that are remembered: a client says how long they are. */
const MAX_IDS = 100_000;

class DeltaStreams {
  /** By session and sender. */
  private readonly lanes = new Map<string, DeltaStream>();
  private ids = 0;

  /** `fresh` is where it begins if nothing is known of it. */
  find(
    agentId: string,
    delta: DeltaFrame,
    fresh: { readonly left: number; readonly atMs: number },
  ): [DeltaStream, Turn] {
    const key = `${delta.session_id}\n${agentId}`;
    const lane = this.lanes.get(key) ?? { turns: new Map<string, Turn>(), ...fresh };
    const known = lane.turns.get(delta.turn_id);
    if (known !== undefined) return [lane, known];
    const turn: Turn = { audience: delta.audience, bytes: 0, hearing: null, waiting: null };
    this.ids += idsOf(turn);
    lane.turns.set(delta.turn_id, turn);
    this.lanes.delete(key);
    this.lanes.set(key, lane);
    this.forgetSome(lane);
    return [lane, turn];
  }

  private forgetSome(latest: DeltaStream): void {
    for (const [id, turn] of latest.turns) {
      if (latest.turns.size <= MAX_TURNS) break;
      latest.turns.delete(id);
      this.ids -= idsOf(turn);
    }
    for (const [key, lane] of this.lanes) {
      if (lane === latest || (this.lanes.size <= MAX_STREAMS && this.ids <= MAX_IDS)) return;
      this.lanes.delete(key);
      for (const turn of lane.turns.values()) this.ids -= idsOf(turn);
    }
  }
}

function idsOf({ audience }: Turn): number {
  return audience?.length ?? 0;
}
