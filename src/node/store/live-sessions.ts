/** Questions about all logs that the lists of the index answer. */

import { isTerminal } from '../../core/records/session/session.ts';
import type { LiveRow } from '../../core/ports/store.ts';
import type { Catalogue } from '../../store/catalogue/catalogue.ts';
import { after, lastPart, under } from '../../store/index/index-keys.ts';
import { decodeRow } from './live-row.ts';

/** A hub serves between two pages: one takes about a millisecond. */
const ROWS_PER_PAGE = 250;

export async function* liveRows(catalogue: Catalogue): AsyncGenerator<readonly LiveRow[], void, void> {
  catalogue.show();
  const { from, to } = under('l');
  for (let start = from; ; ) {
    const page: LiveRow[] = [];
    for (const { key, value } of catalogue.overlay.range(start, to)) {
      page.push(decodeRow(lastPart(key), value));
      start = after(key);
      if (page.length === ROWS_PER_PAGE) break;
    }
    if (page.length > 0) yield page;
    if (page.length < ROWS_PER_PAGE) return;
  }
}

export function liveChildren(catalogue: Catalogue, sessionId: string): readonly string[] {
  catalogue.show();
  const { from, to } = under('c', sessionId);
  const children = [...catalogue.overlay.range(from, to)].map(({ key }) => lastPart(key));
  return children.filter((child) => {
    const head = catalogue.record(child)?.head;
    return head !== undefined && head !== null && !isTerminal(head.state);
  });
}

export interface DamagedLog {
  readonly log_id: string;
  readonly damaged_from: number;
}

export function damagedLogs(catalogue: Catalogue): readonly DamagedLog[] {
  catalogue.show();
  const { from, to } = under('d');
  return [...catalogue.overlay.range(from, to)].map(({ key }) => {
    const log_id = lastPart(key);
    return { log_id, damaged_from: catalogue.record(log_id)?.damagedFrom ?? 0 };
  });
}
