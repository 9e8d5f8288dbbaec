/** What is asked about a post before it is admitted: the rules at once, an arbiter that takes its time before, in the order of the posts. */

import type { Party } from '../../core/arbiter.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { type Draft, HUB_ID } from '../../core/records/session/envelope.ts';
import { anyMatches } from '../../core/lib/glob.ts';
import { type Participant, participantOf, type SessionMetadata } from '../../core/records/session/session.ts';
import type { Denial } from './ask-arbiter.ts';
import type { Binding } from '../bindings.ts';
import type { HubParts } from '../parts.ts';

/** What an arbiter of one's own said beforehand. */
export interface Verdicts {
  /** The arbiter was asked, if it is one's own. */
  readonly isAsked: boolean;
  readonly send: Denial;
  /** By recipient. */
  readonly inbox: ReadonlyMap<string, Denial>;
}

/** Where nobody was asked. */
export const NO_VERDICTS: Verdicts = { isAsked: false, send: null, inbox: new Map() };
const NOT_ASKED = 'you were not in the session yet when the arbiter was asked; try again';

export class Gate {
  private readonly parts: HubParts;
  /** By connection and session: the last post that waits for the arbiter. */
  private readonly lines = new Map<string, Promise<void>>();
  /** What an arbiter of one's own is asked: known once and for all, and looked at for every post and every delivery. */
  private readonly asksSend: boolean;
  private readonly asksInbox: boolean;
  private readonly asksDelivery: boolean;

  constructor(parts: HubParts) {
    this.parts = parts;
    const { replaced } = parts.arbiter;
    this.asksSend = replaced.has('authorizeSend');
    this.asksInbox = replaced.has('authorizeInbox');
    this.asksDelivery = replaced.has('authorizeDelivery');
  }

  /** Nothing has to be waited for, and nobody to be asked: `pass` would run its work at once, without verdicts. */
  isOpen(draft: Draft, metadata: SessionMetadata | undefined): boolean {
    if (this.asksSend || this.asksInbox || this.lines.size > 0) return false;
    return metadata === undefined || this.parts.inboxes.isReadyFor(draft, metadata);
  }

  /** Runs `then` at once, unless the arbiter, or a post before it, has to be waited for. */
  pass<T>(
    sender: Pick<Binding, 'endpoint'> | { readonly endpoint: { readonly endpointId: string } },
    draft: Draft,
    metadata: SessionMetadata | undefined,
    then: (verdicts: Verdicts, hasWaited: boolean) => Promise<T>,
  ): Promise<T> {
    const ready = this.ready(draft, metadata);
    if (this.lines.size === 0 && !(ready instanceof Promise)) return then(ready, false);
    const place = `${sender.endpoint.endpointId}\n${draft.session_id}`;
    const before = this.lines.get(place);
    if (before === undefined && !(ready instanceof Promise)) return then(ready, false);
    const mine = Promise.all([ready, before]).then(([verdicts]) => verdicts);
    const answer = mine.then((verdicts) => then(verdicts, true));
    const line = mine.then(() => {
      if (this.lines.get(place) === line) this.lines.delete(place);
    });
    this.lines.set(place, line);
    return answer;
  }

  /** Outbound access and depth, on the state it is judged on. */
  denied(draft: Draft, metadata: SessionMetadata, { send, isAsked }: Verdicts): Denial {
    const { registry, arbiter } = this.parts;
    // Who is let in just now was a stranger when the arbiter would have been asked.
    if (this.asksSend) return isAsked ? send : NOT_ASKED;
    const rule = registry.ruleOf(draft.sender_id);
    if (rule === registry.openRule && metadata.depth <= rule.limits.delegation_depth) return null;
    const ask = {
      from: this.party(draft.sender_id, metadata),
      to: this.recipients(draft, metadata),
      session: metadata,
      draft,
    };
    return now(arbiter.denial('authorizeSend', ask));
  }

  /** May it go to this one? */
  inboxDenied(draft: Draft, metadata: SessionMetadata, agentId: string, { inbox }: Verdicts): Denial {
    const { registry, arbiter } = this.parts;
    // Who came in since it was asked is not denied.
    if (this.asksInbox) return inbox.get(agentId) ?? null;
    if (registry.ruleOf(agentId) === registry.openRule) return null;
    const [from, to] = [this.party(draft.sender_id, metadata), this.party(agentId, metadata)];
    return now(arbiter.denial('authorizeInbox', { from, to, session: metadata, draft }));
  }

  /** A promise only of an arbiter that takes its time. The hub's own envelopes go to everyone. */
  deliveryDenied(envelope: Envelope, agentId: string): Denial | Promise<Denial> {
    if (envelope.sender_id === HUB_ID || !this.withholdsFrom(agentId)) return null;
    const [from, to] = [this.known(envelope.sender_id), this.known(agentId)];
    return this.parts.arbiter.denial('authorizeDelivery', { from, to, envelope });
  }

  /** Something may be kept from somebody. */
  get mayWithhold(): boolean {
    return this.asksDelivery || this.parts.registry.hasRules;
  }

  /** Something may be kept from this one, by its rule or by an arbiter of one's own. */
  withholdsFrom(agentId: string): boolean {
    const { registry } = this.parts;
    if (this.asksDelivery) return true;
    const rule = registry.ruleOf(agentId);
    return rule !== registry.openRule && !rule.access.inbound_from.includes('*');
  }

  /** What is about to be said might be kept from this one. What an arbiter of one's own will say of it is not known before. */
  mayKeepFrom(agentId: string, senderId: string): boolean {
    if (!this.withholdsFrom(agentId)) return false;
    return this.asksDelivery || !anyMatches(this.known(agentId).rule.access.inbound_from, this.known(senderId).name);
  }

  private ready(draft: Draft, metadata: SessionMetadata | undefined): Verdicts | Promise<Verdicts> {
    if (metadata === undefined) return NO_VERDICTS;
    const verdicts = this.verdicts(draft, metadata);
    const counted = this.parts.inboxes.toCount(draft, metadata);
    return counted === null ? verdicts : Promise.all([verdicts, counted]).then(([known]) => known);
  }

  /** What an arbiter of one's own is asked before; nothing, where the rules will be. */
  private verdicts(draft: Draft, metadata: SessionMetadata): Verdicts | Promise<Verdicts> {
    if (!this.asksSend && !this.asksInbox) return NO_VERDICTS;
    // A stranger is told that there is no such session, and nobody is asked about it.
    if (participantOf(metadata, draft.sender_id) === undefined) return NO_VERDICTS;
    const from = this.party(draft.sender_id, metadata);
    const to = this.recipients(draft, metadata);
    const asked = { from, session: metadata, draft };
    const send = this.asksSend ? this.parts.arbiter.denial('authorizeSend', { ...asked, to }) : null;
    const inbox = this.asksInbox
      ? to.map((one) => this.parts.arbiter.denial('authorizeInbox', { ...asked, to: one }))
      : [];
    const told = ([first, ...others]: readonly Denial[]): Verdicts => ({
      isAsked: true,
      send: first ?? null,
      inbox: new Map(others.map((denial, i) => [to[i]?.agent_id ?? '', denial])),
    });
    const all = [send, ...inbox];
    // Only promises are waited for: an arbiter that answers at once costs no turn of the event loop.
    const waits = all.some((one) => one instanceof Promise);
    return waits ? Promise.all(all).then(told) : told(all.map(now));
  }

  private recipients(draft: Draft, metadata: SessionMetadata): readonly Party[] {
    return metadata.participants
      .filter((participant) => isRecipient(participant, draft))
      .map(({ agent_id }) => this.party(agent_id, metadata));
  }

  private party(agent_id: string, metadata: SessionMetadata): Party {
    const name = participantOf(metadata, agent_id)?.name ?? agent_id;
    return { agent_id, name, rule: this.parts.registry.ruleOf(agent_id) };
  }

  /** Also one who has been unregistered since. */
  private known(agent_id: string): Party {
    const { registry } = this.parts;
    return { agent_id, name: registry.nameOf(agent_id) ?? agent_id, rule: registry.ruleOf(agent_id) };
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
