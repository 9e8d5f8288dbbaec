/** What is registered by name and version is looked at when it is given: what it lacks would otherwise show only when it is needed. */

import { HubError } from '../core/lib/errors.ts';
import { describe } from '../core/lib/json.ts';

const NAME = /^[a-z][a-z0-9_.-]{0,63}$/;

export interface PartKind {
  /** With its article: "a target". */
  readonly kind: string;
  readonly code: string;
  /** A name of this kind. */
  readonly example: string;
  readonly members: readonly string[];
  /** Those it may have. */
  readonly optional?: readonly string[];
}

export function checkPart(given: unknown, { kind, code, example, members, optional = [] }: PartKind): void {
  const bad = (problem: string) => new HubError(code, problem);
  const noun = kind.slice(kind.indexOf(' ') + 1);
  if (typeof given !== 'object' || given === null) {
    throw bad(`${kind} is an object with name, version and ${members.join(', ')}; got ${describe(given)}`);
  }
  const name: unknown = Reflect.get(given, 'name');
  const version: unknown = Reflect.get(given, 'version');
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw bad(`name of ${kind}: expected one such as "${example}" (${NAME}), got ${describe(name)}`);
  }
  if (!Number.isSafeInteger(version) || Number(version) < 1) {
    throw bad(`version of ${noun} ${name}: expected a whole number from 1 on, got ${describe(version)}`);
  }
  const there = optional.filter((member) => Reflect.get(given, member) !== undefined);
  const wrong = [...members, ...there].find((member) => typeof Reflect.get(given, member) !== 'function');
  if (wrong === undefined) return;
  throw bad(`${noun} ${name}: ${wrong} must be a function, got ${describe(Reflect.get(given, wrong))}`);
}
