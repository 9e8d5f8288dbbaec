/** Enforces limits on open connections, connections before their hello, and failed hellos. */

import { isLoopback } from '../auth/hosts.ts';

export interface AddressLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Maximum connections that have not said hello yet. */
  readonly maxPending: number;
  readonly maxFailedHellosPerMinute: number;
}

const MINUTE_MS = 60_000;
/** Maximum addresses whose failures are remembered; the oldest are dropped first. */
const MAX_REMEMBERED = 10_000;

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

  /** Why a new connection is rejected; null if it is accepted. The loopback is exempt from per-address limits. */
  refusal(address: string): string | null {
    const { maxConnections, maxConnectionsPerAddress, maxPending } = this.limits;
    if (this.total >= maxConnections) return `at most ${maxConnections} connections may be open`;
    if (this.pending >= maxPending) return `at most ${maxPending} connections may be without a hello`;
    if (isLoopback(address)) return null;
    if ((this.open.get(address) ?? 0) >= maxConnectionsPerAddress) {
      return `at most ${maxConnectionsPerAddress} connections may come from one address`;
    }
    return this.failureRefusal(address);
  }

  /** Why requests from an address with too many failed hellos are rejected; null if they are accepted. */
  failureRefusal(address: string): string | null {
    const isTooOften = this.failedOf(address) >= this.limits.maxFailedHellosPerMinute;
    return isTooOften ? 'too many hellos failed; try again in a minute' : null;
  }

  opened(address: string): void {
    this.total += 1;
    this.pending += 1;
    this.open.set(address, (this.open.get(address) ?? 0) + 1);
  }

  /** The connection said hello, or closed before that. */
  settled(): void {
    this.pending -= 1;
  }

  closed(address: string): void {
    this.total -= 1;
    const left = (this.open.get(address) ?? 1) - 1;
    if (left === 0) this.open.delete(address);
    else this.open.set(address, left);
  }

  /** Counts a failed hello. Returns true if the address has failed too often and should be disconnected. */
  helloFailed(address: string): boolean {
    if (isLoopback(address)) return false;
    const count = this.failedOf(address) + 1;
    const sinceMs = this.failures.get(address)?.sinceMs ?? this.now();
    this.failures.delete(address);
    this.failures.set(address, { count, sinceMs: count === 1 ? this.now() : sinceMs });
    for (const oldest of this.failures.keys()) {
      if (this.failures.size <= MAX_REMEMBERED) break;
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
