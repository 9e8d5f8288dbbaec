// The contract must reject stores that lose or misplace deadlines.

import { describe, expect, it } from 'vitest';
import type { Append, HeadToken, LiveRow, ReadRange, StoredHead } from '../../src/core/ports/store.ts';
import type { Entry, Unit } from '../../src/core/records/session/unit.ts';
import { MemoryStore } from '../../src/hub/log/memory-store.ts';
import { withDue } from '../support/sample-records.ts';
import { checkStoreModel } from './contract/model.ts';

class LosesAll extends MemoryStore {
  override append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    return super.append(logId, expected, withDue(unit));
  }
}

class LosesEntries extends MemoryStore {
  override async read(logId: string, range: ReadRange): Promise<readonly Entry[]> {
    return withDue({ entries: await super.read(logId, range) }).entries;
  }
}

class LosesHeads extends MemoryStore {
  override async head(sessionId: string): Promise<StoredHead | null> {
    const stored = await super.head(sessionId);
    return stored === null ? null : { ...stored, head: { ...stored.head, due_at: null } };
  }
}

/** Each entry of a unit has the deadline of another. */
class Misorders extends MemoryStore {
  override append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    const dues = unit.entries.map(({ due }) => due ?? null).reverse();
    return super.append(logId, expected, withDue(unit, ...dues));
  }
}

class ChangesRows extends MemoryStore {
  private readonly change: (deadlineMs: number | null) => number | null;

  constructor(change: (deadlineMs: number | null) => number | null) {
    super();
    this.change = change;
  }

  override async *liveRows(): AsyncGenerator<readonly LiveRow[], void, void> {
    for await (const page of super.liveRows()) {
      yield page.map((row) => ({ ...row, deadline_ms: this.change(row.deadline_ms) }));
    }
  }
}

const MUTANTS: Readonly<Record<string, () => MemoryStore>> = {
  'loses what is due': () => new LosesAll(),
  'reads entries without it': () => new LosesEntries(),
  'has heads without it': () => new LosesHeads(),
  'misorders it': () => new Misorders(),
  'has live rows without a deadline': () => new ChangesRows(() => null),
  'has live rows that are late': () => new ChangesRows((ms) => (ms === null ? null : ms + 1)),
  'has live rows that are earlier than anything was due': () =>
    new ChangesRows((ms) => (ms === null || ms === 0 ? ms : ms - 0.5)),
};

describe('the model of the contract', () => {
  it.each(Object.entries(MUTANTS))('[ST5, ST11, ST12, L9] finds a store that %s', async (_what, make) => {
    await expect(checkStoreModel(async () => make(), 300)).rejects.toThrow();
  });
});
