/** What this identity may do, read again when that may have changed: what was lost or won is told. */

import { WireError } from '../../core/lib/errors.ts';
import type { WhoAmI } from '../../core/protocol/operations/console-sessions.ts';
import { store, update } from '../state/console-state.ts';
import { showNotice } from '../state/notice-actions.ts';
import { EMPTY_LIST } from '../state/session-list.ts';
import { client } from './current-client.ts';

let isReading = false;

/** Who may not know of a thing is told that there is none. */
export function isForbidden(thrown: unknown): boolean {
  return thrown instanceof WireError && (thrown.code === 'forbidden' || thrown.code === 'not_found');
}

/** It is shown what is for others too. */
export function mayObserve(): boolean {
  return store.get().me?.grants.includes('observe') ?? false;
}

/** One look at a time: whatever else asks for one meanwhile gets what that brings. */
export function loadGrants(): void {
  const before = store.get().me;
  if (isReading || before === null) return;
  isReading = true;
  Promise.resolve()
    .then(() => client().call('whoami', {}))
    .then((me) => changed(before, me))
    // What cannot be asked now is asked when the hub is back, or forbids the next thing.
    .catch(() => {})
    .finally(() => {
      isReading = false;
    });
}

function changed(before: WhoAmI, me: WhoAmI): void {
  // Somebody else has signed in meanwhile.
  if (store.get().me !== before) return;
  const lost = before.grants.filter((grant) => !me.grants.includes(grant));
  const won = me.grants.filter((grant) => !before.grants.includes(grant));
  if (lost.length + won.length === 0) return;
  const seesOthers = [...lost, ...won].includes('observe');
  update(() => (seesOthers ? { me, list: EMPTY_LIST, hub: null } : { me }));
  if (lost.length > 0) showNotice('refused', `${granted(lost)} taken from you: what it was for is offered no longer.`);
  if (won.length > 0) showNotice('done', `${granted(won)} given to you.`);
}

function granted(grants: readonly string[]): string {
  const names = grants.map((grant) => `"${grant}"`).join(', ');
  return grants.length === 1 ? `The grant ${names} was` : `The grants ${names} were`;
}
