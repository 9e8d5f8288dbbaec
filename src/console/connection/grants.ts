/** Reads the grants of this identity again when they may have changed, and shows a notice about the difference. */

import { WireError } from '../../core/lib/errors.ts';
import type { WhoAmI } from '../../core/protocol/operations/console-sessions.ts';
import { store, update } from '../state/console-state.ts';
import { showNotice } from '../state/notice-actions.ts';
import { EMPTY_LIST } from '../state/session-list.ts';
import { client } from './current-client.ts';

let isReading = false;

/** True also for not_found, which the hub answers about anything hidden from the caller. */
export function isForbidden(thrown: unknown): boolean {
  return thrown instanceof WireError && (thrown.code === 'forbidden' || thrown.code === 'not_found');
}

/** True if the hub also shows this identity envelopes addressed to others. */
export function mayObserve(): boolean {
  return store.get().me?.grants.includes('observe') ?? false;
}

/** Reads the grants; does nothing while a read is pending. */
export function loadGrants(): void {
  const before = store.get().me;
  if (isReading || before === null) return;
  isReading = true;
  Promise.resolve()
    .then(() => client().call('whoami', {}))
    .then((me) => changed(before, me))
    // Ignore errors: the next reconnect or refusal reads the grants again.
    .catch(() => {})
    .finally(() => {
      isReading = false;
    });
}

function changed(before: WhoAmI, me: WhoAmI): void {
  // Another identity has signed in since: ignore the answer.
  if (store.get().me !== before) return;
  const lost = before.grants.filter((grant) => !me.grants.includes(grant));
  const won = me.grants.filter((grant) => !before.grants.includes(grant));
  if (lost.length + won.length === 0) return;
  const seesOthers = [...lost, ...won].includes('observe');
  update(() => (seesOthers ? { me, list: EMPTY_LIST, hub: null } : { me }));
  if (lost.length > 0)
    showNotice('refused', `${granted(lost)} revoked: actions that require it are no longer available.`);
  if (won.length > 0) showNotice('done', `${granted(won)} granted to you.`);
}

function granted(grants: readonly string[]): string {
  const names = grants.map((grant) => `"${grant}"`).join(', ');
  return grants.length === 1 ? `The grant ${names} was` : `The grants ${names} were`;
}
