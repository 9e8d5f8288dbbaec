/** A value that is set again and again: the newest durable one, and those that are staged behind it. */

interface Version<T> {
  readonly seq: number;
  readonly value: T;
}

export class Versions<T> {
  /** In the order of their seqs. */
  private kept: readonly Version<T>[] = [];

  /** As admission sees it: staged or not. */
  get newest(): T | null {
    return this.kept.at(-1)?.value ?? null;
  }

  /** As everyone else sees it, who knows of nothing after `seq`. */
  at(seq: number): T | null {
    // A loop: rules are asked for several times for every post, and nearly nobody has one.
    for (let i = this.kept.length - 1; i >= 0; i--) {
      const version = this.kept[i];
      if (version !== undefined && version.seq <= seq) return version.value;
    }
    return null;
  }

  /** Those that a durable one has replaced are forgotten. */
  set(seq: number, value: T, durableSeq: number): void {
    const all = [...this.kept, { seq, value }];
    const durable = all.findLastIndex((version) => version.seq <= durableSeq);
    this.kept = all.slice(Math.max(0, durable));
  }

  /** What was staged there is not going to be. */
  forgetAfter(seq: number): void {
    this.kept = this.kept.filter((version) => version.seq <= seq);
  }
}
