/** Records beside the logs: written with whatever flush comes next, and of each the last one counts. */

import type { Json } from '../../core/lib/json.ts';
import type { Cursor } from '../../core/ports/store.ts';
import type { Catalogue } from '../../store/catalogue/catalogue.ts';
import { MOVED_FAMILY } from './moved-log.ts';
import { OPERATIONS_FAMILY } from '../../store/catalogue/store-operations.ts';

export type LazyRecord =
  | {
      readonly family: 'cursors';
      readonly save: readonly Cursor[];
      readonly drop: readonly Pick<Cursor, 'agent_id' | 'session_id'>[];
      /** All there are follow: whatever was before is forgotten. */
      readonly all?: true;
    }
  | { readonly family: 'meta'; readonly name: string; readonly value: Json };

const FAMILIES: ReadonlySet<string> = new Set(['cursors', 'meta', 'audit', OPERATIONS_FAMILY, MOVED_FAMILY]);

/** The name is that of records beside the logs, not of a log. */
export function isFamily(name: string): boolean {
  return FAMILIES.has(name);
}

export function lazyText({ family: _family, ...record }: LazyRecord): string {
  return JSON.stringify(record);
}

/** Applies a record found in the journal. A family that is not known is from a newer program, which says so by its format. */
export function applyLazy(catalogue: Catalogue, family: string, text: string): void {
  // Written by lazyText; the checksum says that it is whole.
  const record = { family, ...(JSON.parse(text) as object) } as LazyRecord;
  switch (record.family) {
    case 'cursors':
      if (record.all === true) catalogue.dropAllCursors();
      for (const cursor of record.save) catalogue.saveCursor(cursor);
      for (const { agent_id, session_id } of record.drop) catalogue.dropCursor(agent_id, session_id);
      break;
    case 'meta':
      catalogue.setMeta(record.name, JSON.stringify(record.value));
      break;
  }
}
