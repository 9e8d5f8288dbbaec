/** The arbiter a hub has unless it is given another: it goes by the rules. Each member can be used by one of your own. */

import type { Arbiter, OpenAsk, Party, SendAsk, Verdict } from './arbiter.ts';
import { anyMatches } from './lib/glob.ts';

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

function mayOpen({ by, others, type, depth }: OpenAsk): Verdict {
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

function maySend({ from, to, session }: SendAsk): Verdict {
  if (session.depth > from.rule.limits.delegation_depth) return tooDeep(from, session.depth);
  const denied = to.find(({ name }) => !anyMatches(from.rule.access.outbound_to, name));
  return denied === undefined ? true : notOutbound(from, denied);
}

function takesFrom(to: Party, from: Party): Verdict {
  if (anyMatches(to.rule.access.inbound_from, from.name)) return true;
  return `${to.name} takes nothing from ${from.name} (access.inbound_from)`;
}

function notOutbound(from: Party, to: Party): string {
  return `${from.name} may not talk to ${to.name} (access.outbound_to)`;
}

function tooDeep({ name, rule }: Party, depth: number): string {
  return `${name} may go ${rule.limits.delegation_depth} sessions deep, this is ${depth} (limits.delegation_depth)`;
}
