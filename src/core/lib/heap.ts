/** A heap of deadlines with one entry per key. Setting, moving and removing take O(log n). */

interface Item {
  readonly key: string;
  at: number;
  index: number;
}

export class DeadlineHeap {
  private readonly items: Item[] = [];
  private readonly byKey = new Map<string, Item>();

  get size(): number {
    return this.items.length;
  }

  /** Sets or moves the deadline of `key`; null removes it. */
  set(key: string, at: number | null): void {
    const known = this.byKey.get(key);
    if (at === null) {
      if (known !== undefined) this.remove(known);
    } else if (known === undefined) {
      const item = { key, at, index: this.items.length };
      this.byKey.set(key, item);
      this.items.push(item);
      this.up(item);
    } else if (known.at !== at) {
      known.at = at;
      this.up(known);
      this.down(known);
    }
  }

  at(key: string): number | undefined {
    return this.byKey.get(key)?.at;
  }

  earliest(): number | null {
    return this.items[0]?.at ?? null;
  }

  /** Removes and returns at most `most` keys whose deadline is at or before `now`, earliest first. */
  takeDue(now: number, most: number = Number.POSITIVE_INFINITY): string[] {
    const due: string[] = [];
    while (due.length < most) {
      const first = this.items[0];
      if (first === undefined || first.at > now) break;
      due.push(first.key);
      this.remove(first);
    }
    return due;
  }

  private remove(item: Item): void {
    this.byKey.delete(item.key);
    const last = this.items.pop();
    if (last === undefined || last === item) return;
    this.place(last, item.index);
    this.up(last);
    this.down(last);
  }

  private up(item: Item): void {
    while (item.index > 0) {
      const parent = this.items[(item.index - 1) >> 1];
      if (parent === undefined || parent.at <= item.at) return;
      this.swap(parent, item);
    }
  }

  private down(item: Item): void {
    for (let child = this.smallerChild(item); child !== undefined; child = this.smallerChild(item)) {
      if (child.at >= item.at) return;
      this.swap(item, child);
    }
  }

  private smallerChild({ index }: Item): Item | undefined {
    const left = this.items[2 * index + 1];
    const right = this.items[2 * index + 2];
    return right !== undefined && left !== undefined && right.at < left.at ? right : left;
  }

  private swap(upper: Item, lower: Item): void {
    const { index } = upper;
    this.place(upper, lower.index);
    this.place(lower, index);
  }
  private place(item: Item, index: number): void {
    this.items[index] = item;
    item.index = index;
  }
}
