/** What the files of a project show of its runs: made from the logs alone, each entry once over all of them. */

import { EMPTY_STATE, type RunState } from '../../../../governed/index.ts';
import type { Unknowns } from '../../../../governed/engine/lib/unknown-record.ts';
import type { RunLog } from '../log/run-log.ts';

export interface ShownBooks {
  readonly state: RunState;
  readonly history: readonly object[];
  readonly ledger: readonly object[];
  readonly repoDecisions: readonly object[];
  readonly events: readonly object[];
}

export function booksShown(runs: readonly RunLog[]): ShownBooks {
  const records = runs.map(({ record }) => record);
  return {
    state: records.at(-1)?.state.run ?? EMPTY_STATE,
    // A run that went on in another session stands in both.
    history: once(
      records.flatMap(({ history }) => history),
      ['run_id', 'turn_id'],
      'turn_id',
    ),
    ledger: once(
      records.flatMap(({ ledger }) => ledger),
      ['run_id', 'turn_id', 'id'],
      'id',
    ),
    repoDecisions: records.flatMap(({ repoDecisions }) => repoDecisions),
    events: records.flatMap(({ events }) => events),
  };
}

/** Entries without that id are as many as they are. */
function once(entries: readonly object[], keys: readonly string[], id: string): readonly object[] {
  const seen = new Set<string>();
  return entries.filter((entry) => {
    const members = entry as Unknowns;
    if (typeof members[id] !== 'string') return true;
    const key = JSON.stringify(keys.map((name) => members[name] ?? null));
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
