/** The grants of this identity. Reads them again when they may have changed, and shows a notice about the difference. */

import { WireError } from '../../core/lib/errors.ts';
import type { WhoAmI } from '../../core/protocol/operations/console-sessions.ts';
import { store, update } from '../state/console-state.ts';
import { showNotice } from '../state/notice-actions.ts';
import { EMPTY_LIST } from '../state/session-list.ts';
import { client } from './current-client.ts';

let isReading = false;

/** The hub answers not_found for what the caller must not know about. */
export function isForbidden(thrown: unknown): boolean {
  return thrown instanceof WireError && (thrown.code === 'forbidden' || thrown.code === 'not_found');
}

/** Whether the hub also shows what is addressed to others. */
export function mayObserve(): boolean {
  return store.get().me?.grants.includes('observe') ?? false;
}

/** Runs once at a time: concurrent callers share the pending read. */
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
  // Another identity has signed in since.
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
