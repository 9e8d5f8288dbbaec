/** Acting: every operation that changes something is called from here, and from nowhere else. */

import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import { store } from '../state/console-state.ts';
import { client } from './current-client.ts';
import { isForbidden, loadGrants } from './grants.ts';
import { type ReadOperation, reasonOf } from './read-operations.ts';

export type WriteOperation = Exclude<OperationName, ReadOperation | 'register' | 'subscribe' | 'unsubscribe'>;

/** What came of it: the hub's answer, or why not, in the hub's own words. */
export type Outcome<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly reason: string; readonly thrown: unknown };

let underWay = 0;

/** Something was asked for that the hub has not answered yet. */
export function hasPendingWrite(): boolean {
  return underWay > 0;
}

export async function attempt<Name extends WriteOperation>(
  op: Name,
  params: Params<Name>,
): Promise<Outcome<Result<Name>>> {
  if (store.get().readOnly) {
    return { ok: false, reason: 'Nothing is changed in read-only mode. Switch it off to act.', thrown: null };
  }
  underWay += 1;
  try {
    return { ok: true, answer: await client().call(op, params) };
  } catch (thrown) {
    if (isForbidden(thrown)) loadGrants();
    return { ok: false, reason: `The hub refused: ${reasonOf(thrown)}`, thrown };
  } finally {
    underWay -= 1;
  }
}
