/** Answers invites: accepts them unless `onInvite` decides otherwise. */

import { asError } from '../../core/lib/errors.ts';
import { invalidValueError } from '../../core/lib/json.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { nameOf, type SessionMetadata } from '../../core/records/session/session.ts';
import { truncateReason } from '../connection/connection-types.ts';
import { isObject } from '../lib/option-checks.ts';
import type { LocalSession } from './local-session.ts';
import type { Session } from './session.ts';
import type { SessionHost } from './session-host.ts';

export interface Invite {
  readonly session: Session;
  /** The session type, such as `consulting`. */
  readonly type: string;
  readonly role: string;
  /** The name of the session's creator. */
  readonly from: string;
  readonly metadata: SessionMetadata;
}

/** Returns true to accept. A throw, or an invalid answer, declines with the error's message. */
export type InviteHandler = (invite: Invite) => InviteDecision | Promise<InviteDecision>;
export type InviteDecision = boolean | { readonly reject: string };

type InviteHost = Pick<SessionHost, 'call' | 'failed'>;

interface Answering {
  readonly seq: number;
  /** Another invite to the same session that arrived during the answer; null if there is none. */
  next: Envelope | null;
}

export class Invites {
  private readonly host: InviteHost;
  private readonly onInvite: InviteHandler | undefined;
  /** Invites being answered, by session: the hub repeats an invite at every bind. */
  private readonly answering = new Map<string, Answering>();

  constructor(host: InviteHost, onInvite: InviteHandler | undefined) {
    this.host = host;
    this.onInvite = onInvite;
  }

  get open(): number {
    return this.answering.size;
  }

  receive(envelope: Envelope, room: LocalSession): void {
    const running = this.answering.get(room.id);
    if (running !== undefined) {
      // After declining, we may be invited again before the answer arrives.
      if (envelope.seq !== running.seq) running.next = envelope;
      return;
    }
    const asked: Answering = { seq: envelope.seq, next: null };
    this.answering.set(room.id, asked);
    room.invited();
    void this.answer(envelope, room)
      // The session may have ended. If not, the next bind repeats the invite.
      .catch((thrown) => this.host.failed('answering an invite', room.id, asError(thrown)))
      .finally(() => {
        this.answering.delete(room.id);
        if (asked.next !== null) this.receive(asked.next, room);
      });
  }

  private async answer(envelope: Envelope, room: LocalSession): Promise<void> {
    const decision = await this.decide(envelope, room);
    const session_id = room.id;
    if (decision === true) {
      room.advance((await this.host.call('ack_invite', { session_id })).state);
    } else {
      // The hub accepts reasons of 1 to 256 characters.
      const reason = decision === false ? '' : truncateReason(decision.reject, 128);
      await this.host.call('reject_invite', { session_id, reason: reason === '' ? undefined : reason });
      room.decline();
    }
  }

  private async decide({ event_data }: Envelope, room: LocalSession): Promise<InviteDecision> {
    if (this.onInvite === undefined) return true;
    const { session: metadata } = await room.info();
    const { manifest, creator_id } = metadata;
    const from = nameOf(metadata, creator_id);
    try {
      const role = String(event_data.role);
      const decision = await this.onInvite({ session: room.session, type: manifest.type, role, from, metadata });
      if (isDecision(decision)) return decision;
      throw invalidValueError('the answer of onInvite', 'true, false or {reject: "why"}', decision);
    } catch (thrown) {
      const error = asError(thrown);
      this.host.failed('onInvite', room.id, error);
      return { reject: error.message };
    }
  }
}

/** Checks the result of a handler, which types cannot guarantee. */
function isDecision(answer: unknown): answer is InviteDecision {
  return typeof answer === 'boolean' || (isObject(answer) && typeof answer.reject === 'string');
}
