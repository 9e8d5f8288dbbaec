/**
 * Lib: helpers that know nothing of the hub (registries, caches, locks, pages, histograms); each file stands alone.
 * This one keeps registrations by name and version. A version never changes its behaviour.
 */

import { HubError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';

export class VersionedRegistry<T> {
  protected readonly kind: string;
  private readonly takenCode: string;
  private readonly byName = new Map<string, Map<number, T>>();

  /** `takenCode`: the error code for a version that is already registered. */
  constructor(kind: string, takenCode: string) {
    this.kind = kind;
    this.takenCode = takenCode;
  }

  add(name: string, version: number, thing: T): void {
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

  get names(): readonly string[] {
    return [...this.byName.keys()];
  }

  get known(): string {
    return this.names.toSorted().join(', ') || 'none';
  }

  versionsOf(name: string): readonly number[] {
    return [...(this.byName.get(name)?.keys() ?? [])];
  }
}

const NAME = /^[a-z][a-z0-9_.-]{0,63}$/;

export interface RegistrationKind {
  /** With its article: "a target". */
  readonly kind: string;
  readonly code: string;
  readonly example: string;
  readonly members: readonly string[];
  readonly optional?: readonly string[];
}

/** Rejects a malformed registration now; otherwise it would fail only when a session needs it. */
export function checkRegistration(
  given: unknown,
  { kind, code, example, members, optional = [] }: RegistrationKind,
): void {
  const bad = (problem: string) => new HubError(code, problem);
  const noun = kind.slice(kind.indexOf(' ') + 1);
  if (typeof given !== 'object' || given === null) {
    throw bad(`${kind} is an object with name, version and ${members.join(', ')}; got ${describeValue(given)}`);
  }
  const name: unknown = Reflect.get(given, 'name');
  const version: unknown = Reflect.get(given, 'version');
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw bad(`name of ${kind}: expected one such as "${example}" (${NAME}), got ${describeValue(name)}`);
  }
  if (!Number.isSafeInteger(version) || Number(version) < 1) {
    throw bad(`version of ${noun} ${name}: expected a whole number from 1 on, got ${describeValue(version)}`);
  }
  const present = optional.filter((member) => Reflect.get(given, member) !== undefined);
  const wrong = [...members, ...present].find((member) => typeof Reflect.get(given, member) !== 'function');
  if (wrong === undefined) return;
  throw bad(`${noun} ${name}: ${wrong} must be a function, got ${describeValue(Reflect.get(given, wrong))}`);
}

/** A registry of things that carry their name and version, and are checked on registration. */
export class NamedRegistry<T extends { readonly name: string; readonly version: number }> extends VersionedRegistry<T> {
  private readonly kindOf: (given: unknown) => RegistrationKind;

  constructor(kind: string, takenCode: string, kindOf: (given: unknown) => RegistrationKind) {
    super(kind, takenCode);
    this.kindOf = kindOf;
  }

  register(thing: T): void {
    checkRegistration(thing, this.kindOf(thing));
    this.add(thing.name, thing.version, thing);
  }
}
