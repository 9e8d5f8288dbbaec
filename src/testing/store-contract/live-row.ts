/** What a live row may say, worked out from the log it stands for. */

import { expect } from 'vitest';
import type { Entry } from '../../core/records/session/envelope.ts';
import { foldHead, type Head, headDeadline } from '../../core/state/fold-head.ts';
import type { LiveRow } from '../../core/ports/store.ts';

/** A row that came too late would let a violation wait; one that comes too early is only a look, if the log ever said so. */
export function expectRow(row: LiveRow, entries: readonly Entry[]): void {
  const heads = headsOf(entries);
  const head = heads.at(-1);
  const { session_id, type, state, is_child, delegates, deadline_ms } = row;
  expect({ session_id, type, state, is_child, delegates }).toEqual({
    session_id: head?.session_id,
    type: head?.type,
    state: head?.state,
    is_child: head?.parent_session_id !== null,
    delegates: (head?.delegations ?? 0) > 0,
  });
  const had = heads.map(headDeadline);
  expect(had, `deadlines that session ${session_id} had`).toContain(deadline_ms);
  const latest = had.at(-1) ?? Number.POSITIVE_INFINITY;
  expect(deadline_ms ?? Number.POSITIVE_INFINITY, `when to look at session ${session_id}`).toBeLessThanOrEqual(latest);
}

/** The head after each entry. */
function headsOf(entries: readonly Entry[]): readonly Head[] {
  const heads: Head[] = [];
  for (const entry of entries) heads.push(foldHead(heads.at(-1) ?? null, entry));
  return heads;
}
