/** The arbiter: one replaceable object that says who may do what. It is asked before a decision is made, and never inside one. */

import type { Draft, Envelope } from './records/session/envelope.ts';
import type { PassportClaim } from './records/identity/passport.ts';
import type { Rule } from './records/access/rule.ts';
import type { SessionMetadata } from './records/session/session.ts';

/** true = yes; false = no; a text = no, and why. Anything else is a defect, and means no. */
export type Verdict = boolean | string;
/** It may take its time, within the hub's `arbiterMs`; then the answer is no. */
export type Answer<T = Verdict> = T | Promise<T>;

/** An identity with the rule that holds for it now. */
export interface Party {
  readonly agent_id: string;
  readonly name: string;
  readonly rule: Rule;
}

/** To open a session with others, or to add one more to a session. */
export interface OpenAsk {
  readonly by: Party;
  readonly others: readonly Party[];
  readonly type: string;
  /** 0 = it has no parent. */
  readonly depth: number;
  /** null = it is to be created. */
  readonly session_id: string | null;
}

export interface SendAsk {
  readonly from: Party;
  /** Everyone it is for. */
  readonly to: readonly Party[];
  readonly session: SessionMetadata;
  readonly draft: Draft;
}

export interface InboxAsk {
  readonly from: Party;
  readonly to: Party;
  readonly session: SessionMetadata;
  readonly draft: Draft;
}

export interface DeliveryAsk {
  readonly from: Party;
  readonly to: Party;
  readonly envelope: Envelope;
}

export interface UnknownAsk {
  readonly by: Party;
  /** As it was asked for. */
  readonly name: string;
}

export interface Arbiter {
  authorizeRegister(ask: { readonly claim: PassportClaim }): Answer;
  authorizeOpen(ask: OpenAsk): Answer;
  authorizeSend(ask: SendAsk): Answer;
  /** May this post go into the recipient's inbox? Asked of each recipient. */
  authorizeInbox(ask: InboxAsk): Answer;
  /** What is denied is not deliverable to that recipient, and counts as acked. The hub's own envelopes are not asked about. */
  authorizeDelivery(ask: DeliveryAsk): Answer;
  /** Who is meant by a name nobody has: a name or an id that is registered, or null to refuse. */
  resolveUnknown(ask: UnknownAsk): Answer<string | null>;
}

export type ArbiterMember = keyof Arbiter;
