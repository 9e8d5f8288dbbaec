/** Calls the operations that change something; no other file calls them. */

import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import { store } from '../state/console-state.ts';
import { client } from './current-client.ts';
import { isForbidden, loadGrants } from './grants.ts';
import { type ReadOperation, reasonOf } from './read-operations.ts';

export type WriteOperation = Exclude<OperationName, ReadOperation | 'register' | 'subscribe' | 'unsubscribe'>;

export type Outcome<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly reason: string; readonly thrown: unknown };

let pending = 0;

export function hasPendingWrite(): boolean {
  return pending > 0;
}

export async function attempt<Name extends WriteOperation>(
  op: Name,
  params: Params<Name>,
): Promise<Outcome<Result<Name>>> {
  if (store.get().readOnly) {
    return { ok: false, reason: 'Read-only mode allows no changes. Switch it off first.', thrown: null };
  }
  pending += 1;
  try {
    return { ok: true, answer: await client().call(op, params) };
  } catch (thrown) {
    if (isForbidden(thrown)) loadGrants();
    return { ok: false, reason: `The hub refused: ${reasonOf(thrown)}`, thrown };
  } finally {
    pending -= 1;
  }
}

/** Resolves to null on success, else to the reason for the refusal. */
export async function refusalOf(attempted: Promise<Outcome<unknown>>): Promise<string | null> {
  const outcome = await attempted;
  return outcome.ok ? null : outcome.reason;
}
