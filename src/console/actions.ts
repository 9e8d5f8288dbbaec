/** Acting: every operation that changes something is called from here, and what the hub refuses is told with its reason. */

import type { OperationName, Params, Result } from '../core/operations.ts';
import { type Looking, reasonOf } from './ask.ts';
import { client } from './connection/link.ts';
import { store } from './state.ts';
import { tell } from './told.ts';

export type Acting = Exclude<OperationName, Looking | 'register' | 'subscribe' | 'unsubscribe'>;

/** What came of it: the hub's answer, or null if it was refused; that has been told then. */
export async function act<Name extends Acting>(
  op: Name,
  params: Params<Name>,
  done?: string,
): Promise<Result<Name> | null> {
  if (store.get().readOnly) {
    tell('refused', 'Nothing is changed in read-only mode. Switch it off to act.');
    return null;
  }
  try {
    const answer = await client().call(op, params);
    if (done !== undefined) tell('done', done);
    return answer;
  } catch (thrown) {
    tell('refused', `The hub refused: ${reasonOf(thrown)}`);
    return null;
  }
}
