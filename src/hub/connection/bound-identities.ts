/** Tracks the identities bound to one connection, now and earlier. */

import { WireError } from '../../core/lib/errors.ts';
import type { GoodbyeReason } from '../../core/protocol/frames/frames.ts';
import type { Binding } from '../bindings/binding.ts';

export class BoundIdentities {
  /** True once several identities were bound at the same time; from then on requests must name one. */
  wasShared = false;
  private readonly most: number;
  private readonly bound = new Map<string, Binding>();
  /** Identities bound to this connection before; never pruned, because they are few. */
  private readonly past = new Set<string>();
  /** Last binding number of each identity whose credential ended here: its earlier requests get no result. */
  private readonly cutOff = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
  }

  all(): Iterable<Binding> {
    return this.bound.values();
  }

  get(agentId: string): Binding | undefined {
    return this.bound.get(agentId);
  }

  wasBound(agentId: string): boolean {
    return this.past.has(agentId);
  }

  add(binding: Binding): void {
    this.bound.set(binding.agentId, binding);
    this.wasShared ||= this.bound.size > 1;
  }

  remove(agentId: string): void {
    this.bound.delete(agentId);
  }

  unbound(agentId: string, number: number, reason: GoodbyeReason | null): void {
    if (reason === 'unauthorized') this.cutOff.set(agentId, number);
    if (this.bound.get(agentId)?.number !== number) return;
    this.bound.delete(agentId);
    this.past.add(agentId);
  }

  /** Finds by agent id or name; without `as`, the first. null if nothing is bound, undefined if `as` is not. */
  find(as: string | undefined): Binding | null | undefined {
    if (as === undefined) return this.first();
    return this.bound.get(as) ?? [...this.bound.values()].find(({ name }) => name === as);
  }

  first(): Binding | null {
    for (const binding of this.bound.values()) return binding;
    return null;
  }

  /** True if the binding's credential has ended: its open requests then get no result. */
  isCutOff({ agentId, number }: Binding): boolean {
    return this.cutOff.size > 0 && number <= (this.cutOff.get(agentId) ?? 0);
  }

  /** The error if the connection already has the maximum of identities, or null. */
  noRoom(name: string): WireError | null {
    if (this.bound.size < this.most) return null;
    return new WireError('too_large', `one connection binds at most ${this.most} identities`, { name });
  }
}
