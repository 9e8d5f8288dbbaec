/** The arbiter: one replaceable object that says who may do what. It is asked before a decision is made, and never inside one. */

import { anyMatches } from '../lib/glob.ts';
import type { Rule } from '../records/access/rule.ts';
import type { PassportClaim } from '../records/identity/passport.ts';
import type { Draft, Envelope } from '../records/session/envelope.ts';
import type { SessionMetadata } from '../records/session/session.ts';

/** true = yes; false = no; a text = no, and why. Anything else is a defect, and means no. */
export type ArbiterVerdict = boolean | string;
/** It may take its time, within the hub's `arbiterMs`; then the answer is no. */
export type ArbiterAnswer<T = ArbiterVerdict> = T | Promise<T>;

/** An identity with the rule that holds for it now. */
export interface ArbiterParty {
  readonly agent_id: string;
  readonly name: string;
  readonly rule: Rule;
}

/** To open a session with others, or to add one more to a session. */
export interface OpenAsk {
  readonly by: ArbiterParty;
  readonly others: readonly ArbiterParty[];
  readonly type: string;
  /** 0 = it has no parent. */
  readonly depth: number;
  /** null = it is to be created. */
  readonly session_id: string | null;
}

export interface SendAsk {
  readonly from: ArbiterParty;
  /** Everyone it is for. */
  readonly to: readonly ArbiterParty[];
  readonly session: SessionMetadata;
  readonly draft: Draft;
}

export interface InboxAsk {
  readonly from: ArbiterParty;
  readonly to: ArbiterParty;
  readonly session: SessionMetadata;
  readonly draft: Draft;
}

export interface DeliveryAsk {
  readonly from: ArbiterParty;
  readonly to: ArbiterParty;
  readonly envelope: Envelope;
}

export interface UnknownAsk {
  readonly by: ArbiterParty;
  /** As it was asked for. */
  readonly name: string;
}

export interface Arbiter {
  authorizeRegister(ask: { readonly claim: PassportClaim }): ArbiterAnswer;
  authorizeOpen(ask: OpenAsk): ArbiterAnswer;
  authorizeSend(ask: SendAsk): ArbiterAnswer;
  /** May this post go into the recipient's inbox? Asked of each recipient. */
  authorizeInbox(ask: InboxAsk): ArbiterAnswer;
  /** What is denied is not deliverable to that recipient, and counts as acked. The hub's own envelopes are not asked about. */
  authorizeDelivery(ask: DeliveryAsk): ArbiterAnswer;
  /** Who is meant by a name nobody has: a name or an id that is registered, or null to refuse. */
  resolveUnknown(ask: UnknownAsk): ArbiterAnswer<string | null>;
}

export type ArbiterMember = keyof Arbiter;

/** The arbiter a hub has by default: it goes by the access rules alone, and answers at once. */
export const ruleArbiter: {
  readonly [Member in keyof Arbiter]: (
    ask: Parameters<Arbiter[Member]>[0],
  ) => Exclude<ReturnType<Arbiter[Member]>, Promise<unknown>>;
} = {
  authorizeRegister: () => true,
  authorizeOpen: mayOpen,
  authorizeSend: maySend,
  authorizeInbox: ({ from, to }) => takesFrom(to, from),
  authorizeDelivery: ({ from, to }) => takesFrom(to, from),
  resolveUnknown: () => null,
};

function mayOpen({ by, others, type, depth }: OpenAsk): ArbiterVerdict {
  const { access, limits } = by.rule;
  if (!anyMatches(access.session_types.initiate, type)) {
    return `${by.name} may not open "${type}" sessions (access.session_types.initiate)`;
  }
  if (depth > limits.delegation_depth) return tooDeep(by, depth);
  for (const other of others) {
    if (depth > other.rule.limits.delegation_depth) return tooDeep(other, depth);
    if (!anyMatches(access.outbound_to, other.name)) return notOutbound(by, other);
    if (!anyMatches(other.rule.access.session_types.accept, type)) {
      return `${other.name} does not accept "${type}" sessions (access.session_types.accept)`;
    }
    const inbound = takesFrom(other, by);
    if (inbound !== true) return inbound;
  }
  return true;
}

function maySend({ from, to, session }: SendAsk): ArbiterVerdict {
  if (session.depth > from.rule.limits.delegation_depth) return tooDeep(from, session.depth);
  const denied = to.find(({ name }) => !anyMatches(from.rule.access.outbound_to, name));
  return denied === undefined ? true : notOutbound(from, denied);
}

function takesFrom(to: ArbiterParty, from: ArbiterParty): ArbiterVerdict {
  if (anyMatches(to.rule.access.inbound_from, from.name)) return true;
  return `${to.name} takes nothing from ${from.name} (access.inbound_from)`;
}

function notOutbound(from: ArbiterParty, to: ArbiterParty): string {
  return `${from.name} may not talk to ${to.name} (access.outbound_to)`;
}

function tooDeep({ name, rule }: ArbiterParty, depth: number): string {
  return `${name} may go ${rule.limits.delegation_depth} sessions deep, this is ${depth} (limits.delegation_depth)`;
}
