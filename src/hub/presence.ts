/** What depends on who was here and since when the hub runs: orphaned sessions, and invites nobody could answer. */

import { type Head, lifecycleDeadline } from '../core/state/fold-head.ts';
import type { Limits } from '../core/records/access/limits.ts';
import type { Clock } from '../core/ports/platform.ts';
import { msFromIso } from '../core/time.ts';
import type { Grace } from './deadlines/grace.ts';

/** Who takes part by requests alone looks in more often than that while it waits. */
const HERE_MS = 60_000;

export class Presence {
  private readonly clock: Clock;
  private readonly limits: Limits;
  private readonly grace: Grace;
  private readonly isBound: (agentId: string) => boolean;
  /** When each agent was last seen; one not seen since the start counts from the start. */
  private readonly lastSeenMs = new Map<string, number>();
  private readonly startedMs: number;
  /** When each that takes part without a connection last looked in. */
  private readonly lookedInMs = new Map<string, number>();

  constructor(clock: Clock, limits: Limits, grace: Grace, isBound: (agentId: string) => boolean) {
    this.clock = clock;
    this.limits = limits;
    this.grace = grace;
    this.isBound = isBound;
    this.startedMs = clock.now();
  }

  left(agentId: string): void {
    this.lastSeenMs.set(agentId, this.clock.now());
  }

  looksIn(agentId: string): void {
    this.lookedInMs.set(agentId, this.clock.now());
  }

  /** Connected, or it looked in just now. */
  isHere(agentId: string): boolean {
    if (this.isBound(agentId)) return true;
    const atMs = this.lookedInMs.get(agentId);
    if (atMs === undefined) return false;
    if (this.clock.now() - atMs < HERE_MS) return true;
    this.lookedInMs.delete(agentId);
    return false;
  }

  /** When the session must be looked at next, as far as is known now. */
  lookAtMs(head: Head): number {
    const dueMs = this.grace.lookAtMs(head);
    const lifecycleMs = this.lifecycleAtMs(head);
    return dueMs === null ? lifecycleMs : Math.min(dueMs, lifecycleMs);
  }

  /** By its lifecycle alone. */
  lifecycleAtMs(head: Head): number {
    const ownMs = lifecycleDeadline(head);
    if (ownMs === null) return this.orphanAtMs(head) ?? this.clock.now() + this.limits.orphanMs;
    const graceMs = Math.max(ownMs, this.inviteGraceUntilMs(head));
    return head.expires_at === null || graceMs === ownMs ? graceMs : Math.min(graceMs, msFromIso(head.expires_at));
  }

  /** Until when an invite from before the start stays open, whatever its deadline says; 0 = it has no such grace. */
  private inviteGraceUntilMs(head: Head): number {
    const isOld = head.state === 'INVITED' && msFromIso(head.created_at) < this.startedMs;
    return isOld ? this.startedMs + this.limits.restartGraceMs : 0;
  }

  /** null = somebody is here, or the session has a deadline of its own. */
  orphanAtMs(head: Head): number | null {
    if (head.state !== 'ACTIVE' || head.expires_at !== null) return null;
    const members = Object.entries(head.members).filter(([, status]) => status === 'active' || status === 'hidden');
    if (members.some(([agentId]) => this.isBound(agentId))) return null;
    const lastSeen = members.map(([agentId]) => this.lastSeenMs.get(agentId) ?? this.startedMs);
    return Math.max(this.startedMs, ...lastSeen) + this.limits.orphanMs;
  }
}
