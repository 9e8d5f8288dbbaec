/** How many live sessions there are of each type and in each state: a small number for each session, and a count for each of those. */

import type { LifecycleState } from '../core/records/session/session.ts';

/** Sessions that are alike. */
export interface SessionCount {
  readonly type: string;
  readonly state: LifecycleState;
  readonly count: number;
}

interface Kind {
  readonly type: string;
  readonly state: LifecycleState;
  count: number;
}

export class Census {
  /** Of each session the place of its kind: a million of them would not fit as texts. */
  private readonly kindOf = new Map<string, number>();
  /** Types are those of adapters, so there are few. Their places never change. */
  private readonly kinds: Kind[] = [];
  private readonly places = new Map<string, number>();

  has(sessionId: string): boolean {
    return this.kindOf.has(sessionId);
  }

  /** It is there, of this type and in this state now. */
  note(sessionId: string, type: string, state: LifecycleState): void {
    const place = this.placeOf(type, state);
    const before = this.kindOf.get(sessionId);
    if (before === place) return;
    this.count(before, -1);
    this.kindOf.set(sessionId, place);
    this.count(place, 1);
  }

  forget(sessionId: string): void {
    this.count(this.kindOf.get(sessionId), -1);
    this.kindOf.delete(sessionId);
  }

  /** Costs what there are kinds of, not what there are sessions. */
  counts(): readonly SessionCount[] {
    return this.kinds.filter(({ count }) => count > 0).map((kind) => ({ ...kind }));
  }

  private count(place: number | undefined, by: number): void {
    const kind = place === undefined ? undefined : this.kinds[place];
    if (kind !== undefined) kind.count += by;
  }

  private placeOf(type: string, state: LifecycleState): number {
    const key = `${type}\n${state}`;
    const known = this.places.get(key);
    if (known !== undefined) return known;
    this.places.set(key, this.kinds.length);
    return this.kinds.push({ type, state, count: 0 }) - 1;
  }
}
