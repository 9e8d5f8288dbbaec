/** Decides who may send what to whom: by the access rules (synchronous) or a custom arbiter (may be asynchronous). */

import { anyMatches } from '../../core/lib/glob.ts';
import type { ArbiterParty } from '../../core/ports/arbiter.ts';
import { type Draft, type Envelope, HUB_ID } from '../../core/records/session/envelope.ts';
import { type Participant, participantOf, type SessionMetadata } from '../../core/records/session/session.ts';
import type { Registry } from '../registry/registry.ts';
import type { AskArbiter, Denial } from './ask-arbiter.ts';

export interface ArbiterVerdicts {
  /** False if no custom arbiter was asked: the access rules decide. */
  readonly wasConsulted: boolean;
  readonly send: Denial;
  readonly inbox: ReadonlyMap<string, Denial>;
}

export const NO_VERDICTS: ArbiterVerdicts = { wasConsulted: false, send: null, inbox: new Map() };
const NOT_ASKED = 'you joined the session after the arbiter was asked; try again';

type Rules = Pick<Registry, 'ruleOf' | 'defaultRule' | 'nameOf' | 'hasRules'>;

export class Access {
  private readonly registry: Rules;
  private readonly arbiter: AskArbiter;
  /** The decisions a custom arbiter makes. Cached here because every post and delivery reads them. */
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

  /** True if a custom arbiter must be asked before a post is judged. */
  get asksFirst(): boolean {
    return this.asksSend || this.asksInbox;
  }

  /** True if the access rules decide on deliveries, on arrival; a custom arbiter is asked only when one is sent. */
  get rulesDeliver(): boolean {
    return !this.asksDelivery;
  }

  /** Checks outbound access and delegation depth against the state the post is judged on. */
  denied(draft: Draft, metadata: SessionMetadata, { send, wasConsulted: isAsked }: ArbiterVerdicts): Denial {
    // Deny a sender that joined after the arbiter was asked: there is no verdict for it.
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

  inboxDenied(draft: Draft, metadata: SessionMetadata, agentId: string, { inbox }: ArbiterVerdicts): Denial {
    // Recipients that joined after the arbiter was asked are not denied.
    if (this.asksInbox) return inbox.get(agentId) ?? null;
    if (this.registry.ruleOf(agentId) === this.registry.defaultRule) return null;
    const [from, to] = [this.party(draft.sender_id, metadata), this.party(agentId, metadata)];
    return now(this.arbiter.denial('authorizeInbox', { from, to, session: metadata, draft }));
  }

  /** Hub envelopes are always allowed. Returns a promise only if the arbiter does. */
  deliveryDenied(envelope: Envelope, agentId: string): Denial | Promise<Denial> {
    if (envelope.sender_id === HUB_ID || !this.withholdsFrom(agentId)) return null;
    const [from, to] = [this.known(envelope.sender_id), this.known(agentId)];
    return this.arbiter.denial('authorizeDelivery', { from, to, envelope });
  }

  /** True if any envelope may be withheld from any participant. */
  get mayWithhold(): boolean {
    return this.asksDelivery || this.registry.hasRules;
  }

  /** True if any envelope may be withheld from this participant. */
  withholdsFrom(agentId: string): boolean {
    if (this.asksDelivery) return true;
    const rule = this.registry.ruleOf(agentId);
    return rule !== this.registry.defaultRule && !rule.access.inbound_from.includes('*');
  }

  /** True if posts of this sender may be withheld from the participant. A custom arbiter decides only on delivery. */
  mayKeepFrom(agentId: string, senderId: string): boolean {
    if (!this.withholdsFrom(agentId)) return false;
    return this.asksDelivery || !anyMatches(this.known(agentId).rule.access.inbound_from, this.known(senderId).name);
  }

  /** Asks a custom arbiter about a post; returns NO_VERDICTS if the rules decide. */
  verdicts(draft: Draft, metadata: SessionMetadata): ArbiterVerdicts | Promise<ArbiterVerdicts> {
    if (!this.asksFirst) return NO_VERDICTS;
    // A non-participant gets not_found without asking the arbiter.
    if (participantOf(metadata, draft.sender_id) === undefined) return NO_VERDICTS;
    const from = this.party(draft.sender_id, metadata);
    const to = this.recipients(draft, metadata);
    const asked = { from, session: metadata, draft };
    const send = this.asksSend ? this.arbiter.denial('authorizeSend', { ...asked, to }) : null;
    const inbox = this.asksInbox ? to.map((one) => this.arbiter.denial('authorizeInbox', { ...asked, to: one })) : [];
    const collect = ([first, ...others]: readonly Denial[]): ArbiterVerdicts => ({
      wasConsulted: true,
      send: first ?? null,
      inbox: new Map(others.map((denial, i) => [to[i]?.agent_id ?? '', denial])),
    });
    const all = [send, ...inbox];
    // Stay synchronous if the arbiter is: a promise would delay the post by a tick.
    const waits = all.some((one) => one instanceof Promise);
    return waits ? Promise.all(all).then(collect) : collect(all.map(now));
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

  /** Uses the id as the name of an unregistered identity. */
  private known(agent_id: string): ArbiterParty {
    return { agent_id, name: this.registry.nameOf(agent_id) ?? agent_id, rule: this.registry.ruleOf(agent_id) };
  }
}

/** True if the participant is in the session and the draft is addressed to it. */
export function isRecipient({ agent_id, status }: Participant, { audience, sender_id }: Draft): boolean {
  if (agent_id === sender_id || status === 'removed' || status === 'rejected') return false;
  return audience === null || audience.includes(agent_id);
}

/** Unwraps an answer of the access rules, which are always synchronous. */
function now(denial: Denial | Promise<Denial>): Denial {
  if (denial instanceof Promise) throw new TypeError('the access rules must not return a promise');
  return denial;
}
