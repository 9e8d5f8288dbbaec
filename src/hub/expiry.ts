/** Ends bindings at the moment their credential runs out: one timer, for the earliest of them. */

import type { Binding } from './bindings.ts';
import { isOver } from './registry/handshake.ts';
import type { HubParts } from './parts.ts';

/** Thousands that run out one after another are looked at together. */
const TOGETHER_MS = 10;

export class Expiry {
  private readonly parts: HubParts;
  /** Bindings whose credential runs out some day. */
  private readonly mortal = new Set<Binding>();
  private armedFor = Number.POSITIVE_INFINITY;
  private disarm: () => void = () => {};

  constructor(parts: HubParts) {
    this.parts = parts;
  }

  bound(binding: Binding): void {
    const atMs = binding.credential?.expires_at_ms ?? null;
    if (atMs === null) return;
    this.mortal.add(binding);
    if (atMs < this.armedFor) this.arm(atMs, 0);
  }

  unbound(binding: Binding): void {
    if (!this.mortal.delete(binding) || this.mortal.size > 0) return;
    this.disarm();
    this.armedFor = Number.POSITIVE_INFINITY;
  }

  private arm(atMs: number, leastMs: number): void {
    const { clock } = this.parts;
    this.disarm();
    this.armedFor = atMs;
    this.disarm = clock.after(Math.max(leastMs, atMs - clock.now()), () => this.end());
  }

  private end(): void {
    const nowMs = this.parts.clock.now();
    this.armedFor = Number.POSITIVE_INFINITY;
    this.parts.bindings.endUnproven((credential) => isOver(credential, nowMs));
    let earliest = Number.POSITIVE_INFINITY;
    for (const { credential } of this.mortal) earliest = Math.min(earliest, credential?.expires_at_ms ?? earliest);
    if (earliest < this.armedFor) this.arm(earliest, TOGETHER_MS);
  }
}
