/** Which agents are present, by a connection or by requests alone, and when each was last seen. */

import type { Clock } from '../../core/ports/platform.ts';

/** A waiting agent that only makes requests makes one more often than this. */
const PRESENT_MS = 60_000;

export class Presence {
  private readonly clock: Clock;
  private readonly isBound: (agentId: string) => boolean;
  private readonly leftMs = new Map<string, number>();
  private readonly lookedInMs = new Map<string, number>();
  /** The start of the hub: the last sighting of agents not seen since. */
  readonly startedMs: number;

  constructor(clock: Clock, isBound: (agentId: string) => boolean) {
    this.clock = clock;
    this.isBound = isBound;
    this.startedMs = clock.now();
  }

  left(agentId: string): void {
    this.leftMs.set(agentId, this.clock.now());
  }

  looksIn(agentId: string): void {
    this.lookedInMs.set(agentId, this.clock.now());
  }

  lastSeenMs(agentId: string): number {
    return this.leftMs.get(agentId) ?? this.startedMs;
  }

  /** Connected, or made a request within the last minute. */
  isHere(agentId: string): boolean {
    if (this.isBound(agentId)) return true;
    const atMs = this.lookedInMs.get(agentId);
    if (atMs === undefined) return false;
    if (this.clock.now() - atMs < PRESENT_MS) return true;
    this.lookedInMs.delete(agentId);
    return false;
  }
}
