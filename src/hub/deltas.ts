/**
 * Live partial text: who may speak now shows what it is writing to who will hear it. Hints, the first thing to go under
 * pressure: what does not fit is dropped without a word, nothing is kept, and nothing is decided by them.
 */

import { type DeltaFrame, encodeDelta } from '../core/protocol/frames/frame-codec.ts';
import { utf8Bytes } from '../core/lib/json.ts';
import { type Participant, participantOf } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';
import type { Binding } from './bindings.ts';
import { emptyDraft, judgeSend } from './can-send.ts';
import { DeltaLanes, type Hearing, type Lane, type Turn } from './delta-lanes.ts';
import { NO_VERDICTS, type Verdicts } from './access/access.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';

const HEARING_MS = 1000;
const MOST_WAITING = 64;

export class Deltas {
  private readonly parts: HubParts;
  private readonly lanes = new DeltaLanes();

  constructor(parts: HubParts) {
    this.parts = parts;
  }

  receive(sender: Binding, delta: DeltaFrame): void {
    // What was written a moment ago counts for the next turn too, and for the next binding.
    const fresh = { left: this.parts.limits.maxDeltaRateBytes, atMs: this.now };
    const [lane, turn] = this.lanes.find(sender.agentId, delta, fresh);
    if (!this.fits(lane, turn, utf8Bytes(delta.text))) return;
    if (turn.waiting !== null) {
      if (turn.waiting.length < MOST_WAITING) turn.waiting.push(delta);
    } else if (this.isCurrent(turn.hearing, delta.session_id)) this.forward(sender, turn, delta);
    else this.findHearers(sender, turn, delta);
  }

  private fits(lane: Lane, turn: Turn, bytes: number): boolean {
    const { maxDeltaRateBytes: perSecond, maxTurnDeltaBytes } = this.parts.limits;
    const { now } = this;
    lane.left = Math.min(perSecond, lane.left + ((now - lane.atMs) / 1000) * perSecond);
    lane.atMs = now;
    if (bytes > lane.left || turn.bytes + bytes > maxTurnDeltaBytes) return false;
    lane.left -= bytes;
    turn.bytes += bytes;
    return true;
  }

  private isCurrent(hearing: Hearing | null, sessionId: string): boolean {
    if (hearing === null || hearing.untilMs <= this.now) return false;
    return this.parts.sessions.peek(sessionId)?.durable?.head.seq === hearing.headSeq;
  }

  /** At once where nothing has to be waited for, as for a post. */
  private findHearers(sender: Binding, turn: Turn, delta: DeltaFrame): void {
    const { sessions, gate } = this.parts;
    const { session_id } = delta;
    const draft = emptyDraft(this.parts, sender, session_id, 'msg.text', turn.audience);
    const find = (session: LiveSession, verdicts: Verdicts): Hearing => {
      const { refusal, state } = judgeSend(this.parts, session, sender, draft, verdicts);
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
    void sessions
      .use(session_id, (loaded) =>
        gate.pass(sender, draft, loaded.durable?.metadata, async (verdicts) => find(loaded, verdicts)),
      )
      .catch(() => null)
      .then((hearing) => {
        // Who took over meanwhile is judged for itself.
        turn.hearing = this.parts.bindings.mayAct(sender) ? hearing : null;
        const waiting = turn.waiting ?? [];
        turn.waiting = null;
        for (const one of waiting) this.forward(sender, turn, one);
      });
  }

  private hearingOf({ agentId }: Binding, turn: Turn, { head, metadata }: SessionState, isAllowed: boolean): Hearing {
    const hears = ({ agent_id, status }: Participant): boolean =>
      status === 'active' &&
      agent_id !== agentId &&
      (turn.audience === null || turn.audience.includes(agent_id)) &&
      !this.parts.gate.mayKeepFrom(agent_id, agentId);
    const agentIds = isAllowed ? metadata.participants.filter(hears).map(({ agent_id }) => agent_id) : [];
    return { headSeq: head.seq, untilMs: this.now + HEARING_MS, agentIds, isAllowed };
  }

  /** Who has not read what was sent before gets no hints. */
  private forward(sender: Binding, { audience, hearing }: Turn, delta: DeltaFrame): void {
    const { bindings, observers } = this.parts;
    if (hearing?.isAllowed !== true) return;
    const { session_id, turn_id, index, text } = delta;
    const body = JSON.stringify({ session_id, sender_id: sender.agentId, turn_id, audience, index, text });
    for (const agentId of hearing.agentIds) {
      const binding = bindings.of(agentId);
      if (binding?.ready === true && !binding.isHeldUp) binding.send(encodeDelta(agentId, false, body));
    }
    for (const { target } of observers.of(session_id)) {
      if (!target.isHeldUp) target.send(encodeDelta(target.agentId, true, body));
    }
  }

  private get now(): number {
    return this.parts.clock.monotonic();
  }
}
