/** What one address may do at once: open connections, connections that have not said who they are, and hellos that failed. */

import { isLoopback } from '../auth/hosts.ts';

export interface AddressLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Connections that have not said hello yet. */
  readonly maxPending: number;
  readonly maxFailedHellosPerMinute: number;
}

const MINUTE_MS = 60_000;
/** Addresses remembered for their failures; the oldest are forgotten first. */
const REMEMBERED = 10_000;

interface Failures {
  count: number;
  sinceMs: number;
}

export class Addresses {
  private readonly limits: AddressLimits;
  private readonly now: () => number;
  private readonly open = new Map<string, number>();
  private readonly failures = new Map<string, Failures>();
  private total = 0;
  private pending = 0;

  constructor(limits: AddressLimits, now: () => number) {
    this.limits = limits;
    this.now = now;
  }

  /** Why one more connection is not taken; null = it is. The loopback is exempt from what counts per address. */
  refusal(address: string): string | null {
    const { maxConnections, maxConnectionsPerAddress, maxPending } = this.limits;
    if (this.total >= maxConnections) return `at most ${maxConnections} connections are open at once`;
    if (this.pending >= maxPending) return `at most ${maxPending} connections may be without a hello`;
    if (isLoopback(address)) return null;
    if ((this.open.get(address) ?? 0) >= maxConnectionsPerAddress) {
      return `at most ${maxConnectionsPerAddress} connections may come from one address`;
    }
    return this.failureRefusal(address);
  }

  /** Why nothing is taken from an address that proved nothing too often; null = it is. */
  failureRefusal(address: string): string | null {
    const isTooOften = this.failedOf(address) >= this.limits.maxFailedHellosPerMinute;
    return isTooOften ? 'too many hellos failed; try again in a minute' : null;
  }

  opened(address: string): void {
    this.total += 1;
    this.pending += 1;
    this.open.set(address, (this.open.get(address) ?? 0) + 1);
  }

  /** It said who it is, or is gone before that. */
  settled(): void {
    this.pending -= 1;
  }

  closed(address: string): void {
    this.total -= 1;
    const left = (this.open.get(address) ?? 1) - 1;
    if (left === 0) this.open.delete(address);
    else this.open.set(address, left);
  }

  /** True = it has failed too often and should be sent away. */
  helloFailed(address: string): boolean {
    if (isLoopback(address)) return false;
    const count = this.failedOf(address) + 1;
    const sinceMs = this.failures.get(address)?.sinceMs ?? this.now();
    this.failures.delete(address);
    this.failures.set(address, { count, sinceMs: count === 1 ? this.now() : sinceMs });
    for (const oldest of this.failures.keys()) {
      if (this.failures.size <= REMEMBERED) break;
      this.failures.delete(oldest);
    }
    return count >= this.limits.maxFailedHellosPerMinute;
  }

  private failedOf(address: string): number {
    const known = this.failures.get(address);
    if (known === undefined) return 0;
    return this.now() - known.sinceMs < MINUTE_MS ? known.count : 0;
  }
}
