/** Counts per key; removes a key whose count reaches 0. */

export class Counter<Key> {
  private readonly counts = new Map<Key, number>();

  get(key: Key): number {
    return this.counts.get(key) ?? 0;
  }

  keys(): Iterable<Key> {
    return this.counts.keys();
  }

  add(key: Key): void {
    this.counts.set(key, this.get(key) + 1);
  }

  remove(key: Key): void {
    const left = this.get(key) - 1;
    if (left > 0) this.counts.set(key, left);
    else this.counts.delete(key);
  }
}
