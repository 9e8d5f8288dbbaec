/** Forwards deltas, the live partial text of a participant that may post now. Never stored; dropped under pressure. */

import { utf8Bytes } from '../../core/lib/json.ts';
import { encodeDelta } from '../../core/protocol/frames/frame-codec.ts';
import type { DeltaFrame } from '../../core/protocol/frames/frames.ts';
import { type Participant, participantOf } from '../../core/records/session/session.ts';
import type { SessionState } from '../../core/state/state.ts';
import { type ArbiterVerdicts, NO_VERDICTS } from '../access/access.ts';
import type { Binding } from '../bindings/binding.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import type { Posting } from './post.ts';
import type { PostAuthorizer } from './post-authorizer.ts';
import type { SharedRooms } from './shared-rooms.ts';

export type DeltasNeeds = Pick<
  SharedRooms,
  'clock' | 'limits' | 'sessions' | 'bindings' | 'streams' | 'observers' | 'access'
> & { readonly gate: PostAuthorizer; readonly posting: Posting };

const AUDIENCE_TTL_MS = 1000;
const MAX_WAITING = 64;

export class Deltas {
  private readonly needs: DeltasNeeds;
  private readonly known = new DeltaStreams();

  constructor(needs: DeltasNeeds) {
    this.needs = needs;
  }

  receive(sender: Binding, delta: DeltaFrame): void {
    // The rate is per sender and session, across its turns and bindings.
    const fresh = { left: this.needs.limits.maxDeltaRateBytes, atMs: this.now };
    const [stream, turn] = this.known.find(sender.agentId, delta, fresh);
    if (!this.fits(stream, turn, utf8Bytes(delta.text))) return;
    if (turn.waiting !== null) {
      if (turn.waiting.length < MAX_WAITING) turn.waiting.push(delta);
    } else if (this.isCurrent(turn.recipients, delta.session_id)) this.forward(sender, turn, delta);
    else this.findRecipients(sender, turn, delta);
  }

  private fits(stream: DeltaStream, turn: Turn, bytes: number): boolean {
    const { maxDeltaRateBytes: perSecond, maxTurnDeltaBytes } = this.needs.limits;
    const { now } = this;
    stream.left = Math.min(perSecond, stream.left + ((now - stream.atMs) / 1000) * perSecond);
    stream.atMs = now;
    if (bytes > stream.left || turn.bytes + bytes > maxTurnDeltaBytes) return false;
    stream.left -= bytes;
    turn.bytes += bytes;
    return true;
  }

  private isCurrent(recipients: DeltaAudience | null, sessionId: string): boolean {
    if (recipients === null || recipients.untilMs <= this.now) return false;
    return this.needs.sessions.peek(sessionId)?.durable?.head.seq === recipients.headSeq;
  }

  /** Synchronous if nothing is pending, as for a post. */
  private findRecipients(sender: Binding, turn: Turn, delta: DeltaFrame): void {
    const { sessions, gate } = this.needs;
    const { session_id } = delta;
    const draft = this.needs.posting.emptyDraft(sender, session_id, 'msg.text', turn.audience);
    const find = (session: LiveSession, verdicts: ArbiterVerdicts): DeltaAudience => {
      const { refusal, state } = this.needs.posting.judge(session, sender, draft, verdicts);
      return this.audienceOf(sender, turn, state, refusal === null);
    };
    const session = sessions.atHand(session_id);
    if (session?.durable != null && gate.isOpen(draft, session.durable.metadata)) {
      // A non-participant must not learn that the session exists.
      if (participantOf(session.durable.metadata, sender.agentId) === undefined) return;
      turn.recipients = find(session, NO_VERDICTS);
      return this.forward(sender, turn, delta);
    }
    turn.waiting = [delta];
    void this.needs.posting
      .whenReady(sender, draft, async (loaded, verdicts) => find(loaded, verdicts))
      .catch(() => null)
      .then((recipients) => {
        // If a newer binding replaced the sender's, discard the recipients: the newer one finds its own.
        turn.recipients = this.needs.bindings.mayAct(sender) ? recipients : null;
        const waiting = turn.waiting ?? [];
        turn.waiting = null;
        for (const one of waiting) this.forward(sender, turn, one);
      });
  }

  private audienceOf(
    { agentId }: Binding,
    turn: Turn,
    { head, metadata }: SessionState,
    isAllowed: boolean,
  ): DeltaAudience {
    const receives = ({ agent_id, status }: Participant): boolean =>
      status === 'active' &&
      agent_id !== agentId &&
      (turn.audience === null || turn.audience.includes(agent_id)) &&
      !this.needs.access.mayKeepFrom(agent_id, agentId);
    const agentIds = isAllowed ? metadata.participants.filter(receives).map(({ agent_id }) => agent_id) : [];
    return { headSeq: head.seq, untilMs: this.now + AUDIENCE_TTL_MS, agentIds, isAllowed };
  }

  /** Sends to the recipients and observers that are not under backpressure. */
  private forward(sender: Binding, { audience, recipients }: Turn, delta: DeltaFrame): void {
    const { streams, observers } = this.needs;
    if (recipients?.isAllowed !== true) return;
    const { session_id, turn_id, index, text } = delta;
    const body = JSON.stringify({ session_id, sender_id: sender.agentId, turn_id, audience, index, text });
    for (const agentId of recipients.agentIds) {
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

/** The recipients of a turn, found when its session was at `headSeq`. Empty if the post would be rejected. */
interface DeltaAudience {
  readonly headSeq: number;
  /** Monotonic time after which the recipients are found again: rules and rates change without the session. */
  readonly untilMs: number;
  readonly agentIds: readonly string[];
  readonly isAllowed: boolean;
}

interface Turn {
  /** The audience of the turn's first delta. */
  readonly audience: readonly string[] | null;
  bytes: number;
  recipients: DeltaAudience | null;
  /** Deltas held while the recipients are being found; null if no search is running. */
  waiting: DeltaFrame[] | null;
}

/** The deltas of one sender in one session, across its bindings. */
interface DeltaStream {
  /** The latest turns, by id; a sender may return to one. */
  readonly turns: Map<string, Turn>;
  /** Bytes still allowed in this second. */
  left: number;
  atMs: number;
}

/** Maximum turns remembered per sender and session. */
const MAX_TURNS = 16;
/** Maximum streams remembered; the one whose latest turn is oldest is forgotten first. */
const MAX_STREAMS = 4096;
/** Maximum agent ids in all remembered audiences, whose length clients choose. */
const MAX_IDS = 100_000;

class DeltaStreams {
  /** By session and sender. */
  private readonly streams = new Map<string, DeltaStream>();
  private ids = 0;

  /** `fresh`: the allowance of a new stream. */
  find(
    agentId: string,
    delta: DeltaFrame,
    fresh: { readonly left: number; readonly atMs: number },
  ): [DeltaStream, Turn] {
    const key = `${delta.session_id}\n${agentId}`;
    const stream = this.streams.get(key) ?? { turns: new Map<string, Turn>(), ...fresh };
    const known = stream.turns.get(delta.turn_id);
    if (known !== undefined) return [stream, known];
    const turn: Turn = { audience: delta.audience, bytes: 0, recipients: null, waiting: null };
    this.ids += idsOf(turn);
    stream.turns.set(delta.turn_id, turn);
    this.streams.delete(key);
    this.streams.set(key, stream);
    this.forgetSome(stream);
    return [stream, turn];
  }

  private forgetSome(latest: DeltaStream): void {
    for (const [id, turn] of latest.turns) {
      if (latest.turns.size <= MAX_TURNS) break;
      latest.turns.delete(id);
      this.ids -= idsOf(turn);
    }
    for (const [key, stream] of this.streams) {
      if (stream === latest || (this.streams.size <= MAX_STREAMS && this.ids <= MAX_IDS)) return;
      this.streams.delete(key);
      for (const turn of stream.turns.values()) this.ids -= idsOf(turn);
    }
  }
}

function idsOf({ audience }: Turn): number {
  return audience?.length ?? 0;
}
