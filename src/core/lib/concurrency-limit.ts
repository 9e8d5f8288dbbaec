/** Lets a few run at a time; the others wait, in order. */

export class ConcurrencyLimit {
  readonly #most: number;
  #running = 0;
  #waiting: (() => void)[] = [];
  /** Who waits is taken from here on: a long list is not moved for each of them. */
  #next = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  /** To whoever waits longest. */
  #pass(): void {
    const go = this.#waiting[this.#next];
    if (go === undefined) {
      this.#running -= 1;
      this.#waiting = [];
      this.#next = 0;
      return;
    }
    this.#next += 1;
    go();
  }
}
