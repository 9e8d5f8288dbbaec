/** Runs a limited number of jobs concurrently; the others wait in order. */

export class ConcurrencyLimit {
  readonly #most: number;
  #running = 0;
  #waiting: (() => void)[] = [];
  /** Index of the next waiting job; advancing it avoids shifting a long list. */
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
