/** A heap of deadlines with one entry per key: set, move and remove in O(log n), take what is due in order. */

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

  /** Sets or moves the one deadline of `key`; null removes it. */
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

  /** Removes and returns the keys whose deadline is at or before `now`, earliest first, `most` of them at most. */
  takeDue(now: number, most: number = Number.POSITIVE_INFINITY): string[] {
    const due: string[] = [];
    for (
      let first = this.items[0];
      first !== undefined && first.at <= now && due.length < most;
      first = this.items[0]
    ) {
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
    for (
      let parent = this.items[(item.index - 1) >> 1];
      item.index > 0 && parent !== undefined && parent.at > item.at;
    ) {
      const index = parent.index;
      this.place(parent, item.index);
      this.place(item, index);
      parent = this.items[(index - 1) >> 1];
    }
  }

  private down(item: Item): void {
    for (
      let child = this.smallerChild(item);
      child !== undefined && child.at < item.at;
      child = this.smallerChild(item)
    ) {
      const index = child.index;
      this.place(child, item.index);
      this.place(item, index);
    }
  }

  private smallerChild({ index }: Item): Item | undefined {
    const left = this.items[2 * index + 1];
    const right = this.items[2 * index + 2];
    return right !== undefined && left !== undefined && right.at < left.at ? right : left;
  }

  private place(item: Item, index: number): void {
    this.items[index] = item;
    item.index = index;
  }
}
