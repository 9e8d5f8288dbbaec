/** The arguments of a tool call are JSON that a model wrote. Pure. */

import { type Failure, malformed } from './client/failure.ts';
import type { ModelToolCall } from './client/model-client.ts';
import { parseJson } from './read-json.ts';

export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly json: string;
}

/** The calls, or what is wrong with the first that cannot be read. */
export function readCalls(written: readonly WrittenCall[]): readonly ModelToolCall[] | Failure {
  const calls: ModelToolCall[] = [];
  for (const { id, name, json } of written) {
    if (id === '' || name === '') return malformed('a tool call came without its id or its name');
    // No arguments at all is how some services write that there are none.
    const given = json.trim() === '' ? {} : parseJson(json);
    if (given === undefined)
      return malformed(`the arguments of the tool call ${name} are no JSON that can be read: ${json}`);
    calls.push({ id, name, arguments: given });
  }
  return calls;
}

export function areCalls(read: readonly ModelToolCall[] | Failure): read is readonly ModelToolCall[] {
  return Array.isArray(read);
}
