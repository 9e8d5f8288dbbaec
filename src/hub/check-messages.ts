/** What a view gave, looked at before it goes out: a view is anybody's code, and types do not hold it to its word. */

import { badValue, describe, isPlainObject, isWellFormed } from '../core/lib/json.ts';
import type { ViewMessage } from '../core/ports/view.ts';

/** Throws what is wrong with the first message that is none. */
export function checkMessages(given: unknown): readonly ViewMessage[] {
  if (!Array.isArray(given)) throw badValue('messages', 'a list', given);
  // Not forEach: it passes over holes.
  for (let i = 0; i < given.length; i++) checkMessage(given[i], `messages[${i}]`);
  return given;
}

const MEMBERS = ['role', 'content', 'seq', 'name'] as const;

function checkMessage(message: unknown, where: string): void {
  if (!isPlainObject(message)) throw badValue(where, `an object with ${MEMBERS.join(', ')}`, message);
  const stranger = Object.keys(message).find((key) => !MEMBERS.some((member) => member === key));
  if (stranger !== undefined) throw badValue(`${where}.${stranger}`, `one of ${MEMBERS.join(', ')}`, stranger);
  const { role, content, seq, name } = message;
  if (role !== 'assistant' && role !== 'user') throw badValue(`${where}.role`, 'assistant or user', role);
  if (!isText(content)) throw badValue(`${where}.content`, 'well-formed text', content);
  if (seq !== null && !(Number.isSafeInteger(seq) && Number(seq) >= 1))
    throw badValue(`${where}.seq`, 'a seq or null', seq);
  if (name !== null && !isText(name)) throw badValue(`${where}.name`, 'well-formed text or null', name);
}

/** A window that says neither yes nor no would take everything, or nothing. */
export function checkTaken(given: unknown): boolean {
  if (typeof given === 'boolean') return given;
  throw new Error(`expected true or false, got ${describe(given)}`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && isWellFormed(value);
}
