/** Stores that break one law on purpose. A checker must find the fault of each. */

import type { JsonObject } from '../../src/core/lib/json.ts';
import type { Append, HeadToken, ReadRange, Snapshot } from '../../src/core/ports/store.ts';
import { HUB_ID } from '../../src/core/records/session/envelope.ts';
import type { Entry, Unit } from '../../src/core/records/session/unit.ts';
import { MemoryDisk, type StagedUnit } from '../../src/hub/log/memory-disk.ts';
import { FaultyStore } from '../../src/testing/doubles/faulty-store.ts';

/** Breaks L1: confirms every append immediately, and a crash may lose it. */
class AckBeforeDurable extends FaultyStore {
  override append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    const append = super.append(logId, expected, unit);
    return this.crashed ? append : { ...append, outcome: Promise.resolve({ kind: 'durable' }) };
  }
}

/** Breaks compare-and-append, and so L6: a stale writer's content lands after another writer's close. */
class AcceptAfterClose extends FaultyStore {
  constructor(disk: MemoryDisk = new LaxDisk()) {
    super(disk);
  }
}

class LaxDisk extends MemoryDisk {
  override commit(unit: StagedUnit): boolean {
    this.write({ ...unit, entries: this.renumbered(unit) });
    return true;
  }

  /** Appends at the current head, so that only the order is wrong. */
  private renumbered({ logId, entries }: StagedUnit): readonly Entry[] {
    const last = this.log(logId)?.entries.at(-1)?.envelope;
    const shift = (last?.seq ?? 0) + 1 - (entries[0]?.envelope.seq ?? 1);
    if (shift === 0) return entries;
    return entries.map((entry) => ({ ...entry, envelope: { ...entry.envelope, seq: entry.envelope.seq + shift } }));
  }
}

/** Breaks L5: long logs are read without the keys of participants, and snapshots have none. */
class ForgetKey extends FaultyStore {
  override async read(logId: string, range: ReadRange): Promise<readonly Entry[]> {
    const entries = await super.read(logId, range);
    if (range.limit < 500) return entries;
    return entries.map((entry) =>
      entry.envelope.sender_id === HUB_ID
        ? entry
        : { ...entry, envelope: { ...entry.envelope, idempotency_key: null } },
    );
  }

  override async loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    return changed(await super.loadSnapshot(sessionId), (body) => ({ ...body, keys: [] }));
  }
}

/** Breaks L3: a session loaded from a snapshot lacks the seqs of status changes. */
class ForgetStatus extends FaultyStore {
  override async loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    return changed(await super.loadSnapshot(sessionId), (body) => ({
      ...body,
      state: { ...(body.state as JsonObject), status_seq: {} },
    }));
  }
}

/** The bodies of the hub's snapshots are objects. */
function changed(snapshot: Snapshot | null, change: (body: JsonObject) => JsonObject): Snapshot | null {
  return snapshot === null ? null : { ...snapshot, body: change(snapshot.body as JsonObject) };
}

/** Breaks the cursors: after a restart everything is delivered again. */
class LoseCursor extends FaultyStore {
  override async saveCursors(): Promise<void> {}
}

/** Breaks L3: the log lacks what the live session folded. */
class SkipClosing extends FaultyStore {
  constructor(disk: MemoryDisk = new SkippingDisk()) {
    super(disk);
  }
}

class SkippingDisk extends MemoryDisk {
  override write(unit: StagedUnit): void {
    super.write({ ...unit, entries: unit.entries.filter(isNotClosing) });
  }
}

function isNotClosing({ envelope }: Entry): boolean {
  return envelope.event_type !== 'session.closing';
}

export type StoreMutant =
  | 'ackBeforeDurable'
  | 'acceptAfterClose'
  | 'forgetKey'
  | 'forgetStatus'
  | 'loseCursor'
  | 'skipClosing';

export const storeMutants: Readonly<Record<StoreMutant, () => FaultyStore>> = {
  ackBeforeDurable: () => new AckBeforeDurable(),
  acceptAfterClose: () => new AcceptAfterClose(),
  forgetKey: () => new ForgetKey(),
  forgetStatus: () => new ForgetStatus(),
  loseCursor: () => new LoseCursor(),
  skipClosing: () => new SkipClosing(),
};
