/** A naive raise_hand: keeps the whole history and tries whether everyone can still be served in time. */

/** One turn, and the candidates that were passed over. */
interface Giving {
  readonly to: string;
  readonly over: readonly string[];
}

export class RaiseHandModel {
  readonly order: string[];
  active: string[];
  expected: string | null;
  private last: string | null = null;
  private readonly spoken: string[] = [];
  private readonly bids = new Map<string, number>();
  private readonly givings: (Giving | { readonly away: string })[] = [];

  constructor(order: readonly string[]) {
    this.order = [...order];
    this.active = [...order];
    this.expected = order[0] ?? null;
  }

  bid(who: string, bid: number): void {
    this.bids.set(who, bid);
  }

  speak(): void {
    const who = this.expected;
    if (who === null) throw new Error('nobody is expected');
    this.spoken.push(who);
    this.bids.delete(who);
    this.last = who;
    this.give();
  }

  away(who: string): void {
    this.active = this.active.filter((one) => one !== who);
    this.bids.delete(who);
    this.givings.push({ away: who });
    if (this.expected === who) this.give();
  }

  back(who: string): void {
    this.active = this.order.filter((one) => one === who || this.active.includes(one));
    if (this.expected !== null) return;
    if (this.last === null) this.expected = who;
    else this.give();
  }

  /** How many times in a row it was passed over. */
  passedOver(who: string): number {
    let times = 0;
    for (const giving of this.givings) {
      if ('away' in giving ? giving.away === who : giving.to === who) times = 0;
      else if ('over' in giving && giving.over.includes(who)) times += 1;
    }
    return times;
  }

  private give(): void {
    const others = this.active.filter((one) => one !== this.last);
    const candidates = others.length > 0 ? others : this.active;
    const chosen = this.choice(candidates);
    this.expected = chosen;
    if (chosen !== null) this.givings.push({ to: chosen, over: candidates.filter((one) => one !== chosen) });
  }

  private choice(candidates: readonly string[]): string | null {
    const bearable = candidates.filter((one) => this.isBearable(candidates, one));
    const [first] = bearable.length > 0 ? this.sorted(bearable, 'bid') : this.sorted(candidates, 'wait');
    return first ?? null;
  }

  /** Whether all others can still be served in time if this one is next. */
  private isBearable(candidates: readonly string[], next: string): boolean {
    const rest = this.sorted(
      candidates.filter((one) => one !== next),
      'wait',
    );
    return rest.every((one, choicesLater) => this.passedOver(one) + 1 + choicesLater <= this.active.length - 1);
  }

  private sorted(some: readonly string[], by: 'bid' | 'wait'): readonly string[] {
    const worth = (one: string) => (by === 'bid' ? (this.bids.get(one) ?? 0) : this.passedOver(one));
    const silence = (one: string) => this.spoken.lastIndexOf(one);
    const place = (one: string) => this.order.indexOf(one);
    return [...some].sort((a, b) => worth(b) - worth(a) || silence(a) - silence(b) || place(a) - place(b));
  }
}
