/** What the hub was handed, by name and version: each is one behaviour, and another one needs another version. */

import { HubError } from '../core/lib/errors.ts';

export class ByVersion<T> {
  private readonly kind: string;
  private readonly takenCode: string;
  private readonly byName = new Map<string, Map<number, T>>();

  /** `takenCode`: the code of the error for a version that is registered already. */
  constructor(kind: string, takenCode: string) {
    this.kind = kind;
    this.takenCode = takenCode;
  }

  register(name: string, version: number, thing: T): void {
    const versions = this.byName.get(name) ?? new Map<number, T>();
    if (versions.has(version)) {
      const message = `${this.kind} ${name} version ${version} is registered already; a new behaviour needs a new version`;
      throw new HubError(this.takenCode, message);
    }
    versions.set(version, thing);
    this.byName.set(name, versions);
  }

  find(name: string, version: number): T | null {
    return this.byName.get(name)?.get(version) ?? null;
  }

  newest(name: string): T | null {
    const versions = this.byName.get(name);
    return versions?.get(Math.max(...versions.keys())) ?? null;
  }

  /** In the order they were registered. */
  get names(): readonly string[] {
    return [...this.byName.keys()];
  }

  versionsOf(name: string): readonly number[] {
    return [...(this.byName.get(name)?.keys() ?? [])];
  }
}
