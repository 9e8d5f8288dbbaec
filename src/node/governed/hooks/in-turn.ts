/** What belongs to one name is done one after the other; other names do not wait. */

export class InTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(name: string, perform: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const done = before.then(perform, perform);
    this.#last.set(name, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(name) === done) this.#last.delete(name);
    }
  }
}
