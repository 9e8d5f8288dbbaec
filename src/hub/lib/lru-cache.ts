/** Keeps the `most` most recently used values. */

export class LruCache<Value> {
  private readonly most: number;
  private readonly values = new Map<string, Value>();

  constructor(most: number) {
    this.most = most;
  }

  get(key: string): Value | undefined {
    const value = this.values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.values.delete(key);
    this.values.set(key, value);
    if (this.values.size <= this.most) return;
    for (const oldest of this.values.keys()) {
      this.values.delete(oldest);
      return;
    }
  }
}
