/** What a module exports may have members that throw when they are looked at: they are found before anybody stumbles. */

import { asError } from '../../core/lib/errors.ts';
import { keyText } from './problems.ts';
import type { KeyPath } from './source.ts';

/** A line for each member that cannot be read, with its key. */
export function unreadable(value: unknown): readonly string[] {
  const seen = new Set<object>();
  const walk = (part: unknown, path: KeyPath): readonly string[] => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return [];
    seen.add(part);
    return keysOf(part).flatMap((key) => {
      const member = memberOf(part, key);
      return 'value' in member
        ? walk(member.value, [...path, key])
        : [`${keyText([...path, key])}: it cannot be read: ${member.problem}`];
    });
  };
  return walk(value, []);
}

/** Of lists and plain objects; others are taken as they are. */
function keysOf(part: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(part);
  const isPlain = prototype === null || prototype === Object.prototype || Array.isArray(part);
  return isPlain ? Object.keys(part) : [];
}

function memberOf(part: object, key: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: Reflect.get(part, key) };
  } catch (thrown) {
    return { problem: asError(thrown).message };
  }
}
