/**
 * Access rules from the registry's log, and their effects: only the limited agent feels a limit, and skipped envelopes
 * are reported.
 */

import type { Clock, Rule } from 'parley-hub/core';
import { holds } from './law-broken.ts';
import type { LogModel } from './log-model.ts';
import type { SimulatedStore } from './simulated-store.ts';

export interface Acks {
  /** By that moment, or now. */
  isAcked(agentId: string, session: string, seq: number, by?: number): boolean;
}

/** `since`: the moment of the request; the decision was then or later. */
export interface RefusedPost {
  readonly session: string;
  readonly audience: unknown;
  readonly since: number;
}

/** The hub recounts the unread at most this often, so its count may be off in between. */
const COUNTED_EVERY_MS = 1_000;

export class RuleBook {
  private readonly model: LogModel;
  private readonly acks: Acks;
  /** Every rule of each agent, oldest first. */
  private readonly rules = new Map<string, Rule[]>();
  private readonly names = new Map<string, string>();
  private known = 0;
  private readonly clock: Clock;
  /** When each agent last received or acked something, in monotonic time. */
  private readonly stirs = new Map<string, number[]>();

  constructor(model: LogModel, acks: Acks, clock: Clock) {
    this.model = model;
    this.acks = acks;
    this.clock = clock;
  }

  stir(agentId: string): void {
    const now = this.clock.monotonic();
    const recent = (this.stirs.get(agentId) ?? []).filter((at) => at >= now - COUNTED_EVERY_MS);
    this.stirs.set(agentId, [...recent, now]);
  }

  follow(store: SimulatedStore): void {
    const entries = store.durableEntries('hub');
    for (const { envelope } of entries.slice(this.known)) {
      const { agent_id, name, rule } = envelope.event_data as unknown as {
        agent_id: string;
        name?: string;
        rule?: Rule;
      };
      if (name !== undefined) this.names.set(agent_id, name);
      if (rule !== undefined) this.rules.set(agent_id, [...(this.rules.get(agent_id) ?? []), rule]);
    }
    this.known = entries.length;
  }

  /** The agent whose rule was set. */
  ruled(): readonly string[] {
    return [...this.rules.keys()];
  }

  /** The decision may have used the rule before the present one. */
  newest(agentId: string): readonly Rule[] {
    return (this.rules.get(agentId) ?? []).slice(-2);
  }

  /** A rule blocks or blocked this sender, so the envelope is neither delivered nor reported. */
  mayBeDenied(agentId: string, senderId: string): boolean {
    return (this.rules.get(agentId) ?? []).some((rule) => this.denies(rule, senderId));
  }

  /** The senders blocked by each rule that may apply, newest first. */
  denials(agentId: string): readonly ((senderId: string) => boolean)[] {
    const newest = this.newest(agentId).map((rule) => (senderId: string) => this.denies(rule, senderId));
    return (newest.length < 2 ? [() => false, ...newest] : newest).reverse();
  }

  private denies({ access }: Rule, senderId: string): boolean {
    const name = this.names.get(senderId) ?? '';
    return senderId !== 'hub' && !access.inbound_from.some((glob) => fits(glob, name));
  }

  /** Agents an own limit may stop: no other agent is rejected for one. */
  checkRefused(senderId: string, post: RefusedPost, code: string): void {
    if (code === 'rate_limited') {
      const isLimited = this.newest(senderId).some(({ limits }) => limits.rate !== null);
      holds(isLimited, 'L8', () => `${senderId} is too fast, though it has no rate`);
    }
    if (code !== 'inbox_full') return;
    const participants = this.model.state(post.session)?.metadata.participants ?? [];
    const others = participants.filter(({ agent_id, status }) => agent_id !== senderId && status !== 'removed');
    const audience = Array.isArray(post.audience) ? post.audience : null;
    const meant = others.filter(({ agent_id }) => audience === null || audience.includes(agent_id));
    const full = meant.filter(({ agent_id }) => this.mayBeFull(agent_id, post.since));
    holds(full.length > 0, 'L8', () => `a post of ${senderId} in ${post.session} meets a full inbox, and none is`);
    const takers = meant.filter(({ agent_id, status }) => status === 'active' && !this.isLimited(agent_id, post.since));
    holds(
      audience !== null || takers.length === 0,
      'L8',
      () => `${senderId} may not post to everybody in ${post.session}, though ${takers[0]?.name} has room`,
    );
  }

  /** Only unacked envelopes for the agent, sent to a full inbox that drops. */
  checkOverflow(agentId: string, session: string, seq: number): void {
    const where = `${agentId}: the gap at ${session} seq ${seq}`;
    holds(this.model.owed(session, agentId).includes(seq), 'L5', () => `${where} reports an envelope for others`);
    holds(!this.acks.isAcked(agentId, session, seq), 'L5', () => `${where} is of what it has acked`);
    const drops = (this.rules.get(agentId) ?? []).some(({ limits }) => limits.inbox.overflow !== 'reject');
    holds(drops, 'L5', () => `${where} is an overflow, but it never asked to drop`);
  }

  /** The inbox may be full by one of the rules that may apply; the hub never counts less than there is. */
  private mayBeFull(agentId: string, since: number): boolean {
    const pending = this.pending(agentId, since);
    return this.newest(agentId).some(
      ({ limits: { inbox } }) => inbox.overflow === 'reject' && pending >= inbox.max_pending,
    );
  }

  private isLimited(agentId: string, since: number): boolean {
    return (
      this.mayBeFull(agentId, since) || this.newest(agentId).some(({ access }) => !access.inbound_from.includes('*'))
    );
  }

  /** The highest possible count. */
  private pending(agentId: string, since: number): number {
    const from = this.clock.monotonic() - COUNTED_EVERY_MS;
    let pending = (this.stirs.get(agentId) ?? []).filter((at) => at >= from).length;
    for (const session of this.model.sessions.keys()) {
      for (const seq of this.model.owed(session, agentId))
        if (!this.acks.isAcked(agentId, session, seq, since)) pending += 1;
    }
    return pending;
  }
}

/** The simulation's globs are names and *. */
function fits(glob: string, name: string): boolean {
  return glob === '*' || glob === name;
}
