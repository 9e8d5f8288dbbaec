/** Who may say what to whom: the rules, or an arbiter of one's own. The rules answer at once; an arbiter may take its time. */

import { anyMatches } from '../../core/lib/glob.ts';
import type { ArbiterParty } from '../../core/ports/arbiter.ts';
import { type Draft, type Envelope, HUB_ID } from '../../core/records/session/envelope.ts';
import { type Participant, participantOf, type SessionMetadata } from '../../core/records/session/session.ts';
import type { Registry } from '../registry/registry.ts';
import type { AskArbiter, Denial } from './ask-arbiter.ts';

/** What an arbiter of one's own said beforehand. */
export interface ArbiterVerdicts {
  /** The arbiter was asked, if it is one's own. */
  readonly wasConsulted: boolean;
  readonly send: Denial;
  /** By recipient. */
  readonly inbox: ReadonlyMap<string, Denial>;
}

/** Where nobody was asked. */
export const NO_VERDICTS: ArbiterVerdicts = { wasConsulted: false, send: null, inbox: new Map() };
const NOT_ASKED = 'you were not in the session yet when the arbiter was asked; try again';

type Rules = Pick<Registry, 'ruleOf' | 'defaultRule' | 'nameOf' | 'hasRules'>;

export class Access {
  private readonly registry: Rules;
  private readonly arbiter: AskArbiter;
  /** What an arbiter of one's own is asked: known once and for all, and looked at for every post and every delivery. */
  private readonly asksSend: boolean;
  private readonly asksInbox: boolean;
  private readonly asksDelivery: boolean;

  constructor(registry: Rules, arbiter: AskArbiter) {
    this.registry = registry;
    this.arbiter = arbiter;
    this.asksSend = arbiter.replaced.has('authorizeSend');
    this.asksInbox = arbiter.replaced.has('authorizeInbox');
    this.asksDelivery = arbiter.replaced.has('authorizeDelivery');
  }

  /** A post has to be asked about before it is judged. */
  get asksFirst(): boolean {
    return this.asksSend || this.asksInbox;
  }

  /** What is delivered is judged by the rules when it comes; an arbiter of one's own is asked when it is sent. */
  get rulesDeliver(): boolean {
    return !this.asksDelivery;
  }

  /** Outbound access and depth, on the state it is judged on. */
  denied(draft: Draft, metadata: SessionMetadata, { send, wasConsulted: isAsked }: ArbiterVerdicts): Denial {
    // Who is let in just now was a stranger when the arbiter would have been asked.
    if (this.asksSend) return isAsked ? send : NOT_ASKED;
    const rule = this.registry.ruleOf(draft.sender_id);
    if (rule === this.registry.defaultRule && metadata.depth <= rule.limits.delegation_depth) return null;
    const ask = {
      from: this.party(draft.sender_id, metadata),
      to: this.recipients(draft, metadata),
      session: metadata,
      draft,
    };
    return now(this.arbiter.denial('authorizeSend', ask));
  }

  /** May it go to this one? */
  inboxDenied(draft: Draft, metadata: SessionMetadata, agentId: string, { inbox }: ArbiterVerdicts): Denial {
    // Who came in since it was asked is not denied.
    if (this.asksInbox) return inbox.get(agentId) ?? null;
    if (this.registry.ruleOf(agentId) === this.registry.defaultRule) return null;
    const [from, to] = [this.party(draft.sender_id, metadata), this.party(agentId, metadata)];
    return now(this.arbiter.denial('authorizeInbox', { from, to, session: metadata, draft }));
  }

  /** A promise only of an arbiter that takes its time. The hub's own envelopes go to everyone. */
  deliveryDenied(envelope: Envelope, agentId: string): Denial | Promise<Denial> {
    if (envelope.sender_id === HUB_ID || !this.withholdsFrom(agentId)) return null;
    const [from, to] = [this.known(envelope.sender_id), this.known(agentId)];
    return this.arbiter.denial('authorizeDelivery', { from, to, envelope });
  }

  /** Something may be kept from somebody. */
  get mayWithhold(): boolean {
    return this.asksDelivery || this.registry.hasRules;
  }

  /** Something may be kept from this one, by its rule or by an arbiter of one's own. */
  withholdsFrom(agentId: string): boolean {
    if (this.asksDelivery) return true;
    const rule = this.registry.ruleOf(agentId);
    return rule !== this.registry.defaultRule && !rule.access.inbound_from.includes('*');
  }

  /** What is about to be said might be kept from this one. What an arbiter of one's own will say of it is not known before. */
  mayKeepFrom(agentId: string, senderId: string): boolean {
    if (!this.withholdsFrom(agentId)) return false;
    return this.asksDelivery || !anyMatches(this.known(agentId).rule.access.inbound_from, this.known(senderId).name);
  }

  /** What an arbiter of one's own is asked before; nothing, where the rules will be. */
  verdicts(draft: Draft, metadata: SessionMetadata): ArbiterVerdicts | Promise<ArbiterVerdicts> {
    if (!this.asksFirst) return NO_VERDICTS;
    // A stranger is told that there is no such session, and nobody is asked about it.
    if (participantOf(metadata, draft.sender_id) === undefined) return NO_VERDICTS;
    const from = this.party(draft.sender_id, metadata);
    const to = this.recipients(draft, metadata);
    const asked = { from, session: metadata, draft };
    const send = this.asksSend ? this.arbiter.denial('authorizeSend', { ...asked, to }) : null;
    const inbox = this.asksInbox ? to.map((one) => this.arbiter.denial('authorizeInbox', { ...asked, to: one })) : [];
    const told = ([first, ...others]: readonly Denial[]): ArbiterVerdicts => ({
      wasConsulted: true,
      send: first ?? null,
      inbox: new Map(others.map((denial, i) => [to[i]?.agent_id ?? '', denial])),
    });
    const all = [send, ...inbox];
    // Only promises are waited for: an arbiter that answers at once costs no turn of the event loop.
    const waits = all.some((one) => one instanceof Promise);
    return waits ? Promise.all(all).then(told) : told(all.map(now));
  }

  private recipients(draft: Draft, metadata: SessionMetadata): readonly ArbiterParty[] {
    return metadata.participants
      .filter((participant) => isRecipient(participant, draft))
      .map(({ agent_id }) => this.party(agent_id, metadata));
  }

  private party(agent_id: string, metadata: SessionMetadata): ArbiterParty {
    const name = participantOf(metadata, agent_id)?.name ?? agent_id;
    return { agent_id, name, rule: this.registry.ruleOf(agent_id) };
  }

  /** Also one who has been unregistered since. */
  private known(agent_id: string): ArbiterParty {
    return { agent_id, name: this.registry.nameOf(agent_id) ?? agent_id, rule: this.registry.ruleOf(agent_id) };
  }
}

/** It is for this one, who is in the session: one of the others, or of those it names. */
export function isRecipient({ agent_id, status }: Participant, { audience, sender_id }: Draft): boolean {
  if (agent_id === sender_id || status === 'removed' || status === 'rejected') return false;
  return audience === null || audience.includes(agent_id);
}

/** The rules answer at once. */
function now(denial: Denial | Promise<Denial>): Denial {
  if (denial instanceof Promise) throw new TypeError('the rules do not wait');
  return denial;
}
