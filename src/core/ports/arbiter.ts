/** The arbiter: a replaceable object that allows or denies. The hub asks it before a decision, never during one. */

import { anyMatches } from '../lib/glob.ts';
import type { Rule } from '../records/access/rule.ts';
import type { PassportClaim } from '../records/identity/passport.ts';
import type { Draft, Envelope } from '../records/session/envelope.ts';
import type { SessionMetadata } from '../records/session/session.ts';

/** true = allow; false = deny; a string = deny with this reason. Any other value is a defect and denies. */
export type ArbiterVerdict = boolean | string;
/** Must settle within the hub's `arbiterMs`; otherwise the hub denies. */
export type ArbiterAnswer<T = ArbiterVerdict> = T | Promise<T>;

/** An identity with its current access rule. */
export interface ArbiterParty {
  readonly agent_id: string;
  readonly name: string;
  readonly rule: Rule;
}

/** A request to open a session with others, or to add one participant. */
export interface OpenAsk {
  readonly by: ArbiterParty;
  readonly others: readonly ArbiterParty[];
  readonly type: string;
  /** 0 if the session has no parent. */
  readonly depth: number;
  /** null if the session does not exist yet. */
  readonly session_id: string | null;
}

export interface SendAsk {
  readonly from: ArbiterParty;
  /** All recipients of the draft. */
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
  /** The name as the request spelled it. */
  readonly name: string;
}

export interface Arbiter {
  authorizeRegister(ask: { readonly claim: PassportClaim }): ArbiterAnswer;
  authorizeOpen(ask: OpenAsk): ArbiterAnswer;
  authorizeSend(ask: SendAsk): ArbiterAnswer;
  /** Whether the post may enter one recipient's inbox. The hub asks once per recipient. */
  authorizeInbox(ask: InboxAsk): ArbiterAnswer;
  /** Denied envelopes are withheld and count as acked. Not asked about hub envelopes. */
  authorizeDelivery(ask: DeliveryAsk): ArbiterAnswer;
  /** Resolves an unknown name to a registered name or id; null rejects the request. */
  resolveUnknown(ask: UnknownAsk): ArbiterAnswer<string | null>;
}

export type ArbiterMember = keyof Arbiter;

/** The default arbiter: applies the access rules and answers synchronously. */
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
  return `${to.name} does not accept messages from ${from.name} (access.inbound_from)`;
}

function notOutbound(from: ArbiterParty, to: ArbiterParty): string {
  return `${from.name} may not talk to ${to.name} (access.outbound_to)`;
}

function tooDeep({ name, rule }: ArbiterParty, depth: number): string {
  return `${name} may use sessions up to depth ${rule.limits.delegation_depth}, this one has depth ${depth} (limits.delegation_depth)`;
}
