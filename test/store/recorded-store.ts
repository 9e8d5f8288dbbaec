/**
 * A run of the durable store on a disk that can be copied and damaged: the units written, their confirmation, and
 * every index on the way.
 */

import type { Cursor, HeadToken, Store } from '../../src/core/ports/store.ts';
import type { Unit } from '../../src/core/records/session/unit.ts';
import { readCheckpoint } from '../../src/store/index/checkpoint.ts';
import { MemoryIndex } from '../../src/store/index/memory-index.ts';
import { listSegments, segmentName } from '../../src/store/journal/files.ts';
import type { PlacedRecord, Position } from '../../src/store/journal/journal-types.ts';
import { scanJournal } from '../../src/store/journal/scan.ts';
import { createdUnit, hubUnit, textUnit, unit } from '../support/sample-records.ts';
import { SimDisk } from '../support/sim-disk.ts';
import { openSimStore } from './sim-store.ts';

export const ALPHA = 'a'.repeat(32);
export const BETA = 'b'.repeat(32);
export const HUB = 'hub';
export const LOGS: readonly string[] = [HUB, ALPHA, BETA];
export const SESSIONS: readonly string[] = [ALPHA, BETA];

export const SEGMENT_BYTES = 1_100;

interface WrittenUnit {
  readonly logId: string;
  readonly unit: Unit;
  /** The end of the journal when it was confirmed. */
  readonly confirmedAt: Position;
}

export interface KeptIndex {
  /** How much of the journal it covers. */
  readonly at: Position;
  readonly values: ReadonlyMap<string, Uint8Array>;
}

export interface StoreRun {
  readonly disk: SimDisk;
  readonly units: readonly WrittenUnit[];
  readonly cursors: readonly Cursor[];
  readonly audits: number;
  /** Every index that was ever on disk, oldest first. */
  readonly indexes: readonly KeptIndex[];
  /** Where each write ended: a journal cut there ends between flushes. */
  readonly flushEnds: readonly Position[];
  readonly segments: readonly { readonly segment: number; readonly bytes: number }[];
  readonly records: readonly PlacedRecord[];
}

/** `closed`: the store was closed properly; otherwise the process was killed after the last confirmation. */
export async function recordedStore({ closed }: { readonly closed: boolean }): Promise<StoreRun> {
  const life = new Life();
  await life.open();
  await life.write([HUB, registered(1)], [ALPHA, createdUnit(ALPHA)]);
  await life.write([ALPHA, opening(ALPHA)], [HUB, registered(2)]);
  await life.note();
  await life.write([BETA, createdUnit(BETA, { agents: ['bob', 'carol'] })], [ALPHA, textUnit(ALPHA, 4)]);
  // The process is killed in between: the next one seals what it finds.
  life.disk.kill();
  await life.open();
  await life.write([BETA, textUnit(BETA, 2, 2)]);
  await life.write([BETA, wide(BETA, 4)]);
  await life.note();
  await life.write([ALPHA, textUnit(ALPHA, 5)], [HUB, registered(3)]);
  await life.write([BETA, hubUnit(BETA, 5, 'session.closing', { reason: 'done' })]);
  if (closed) await life.store.close();
  else life.disk.kill();
  return life.recorded();
}

class Life {
  readonly disk = new SimDisk();
  readonly #index = new RememberingIndex();
  readonly #units: WrittenUnit[] = [];
  readonly #cursors: Cursor[] = [];
  readonly #heads = new Map<string, HeadToken>();
  #store: Store | null = null;
  #audits = 0;

  get store(): Store {
    if (this.#store === null) throw new Error('the store is not open');
    return this.#store;
  }

  async open(): Promise<void> {
    const { store } = await openSimStore(this.disk, { index: this.#index, segmentBytes: SEGMENT_BYTES });
    this.#store = store;
  }

  async write(...units: readonly (readonly [string, Unit])[]): Promise<void> {
    const appends = units.map(([logId, one]) => {
      const append = this.store.append(logId, this.#heads.get(logId) ?? null, one);
      this.#heads.set(logId, append.token);
      return { logId, unit: one, outcome: append.outcome };
    });
    for (const { logId, unit, outcome } of appends) {
      const ended = await outcome;
      if (ended.kind !== 'durable') throw new Error(`${ended.kind}: a unit of ${logId}`);
      this.#units.push({ logId, unit, confirmedAt: contentEnd(this.disk) });
    }
  }

  /** Writes side records and waits for the index. */
  async note(): Promise<void> {
    this.#audits += 1;
    const number = this.#audits;
    this.store.audit({
      at: '2026-01-01T00:00:00.000Z',
      kind: 'noted',
      actor: null,
      session_id: null,
      detail: { number },
    });
    const cursor: Cursor = { agent_id: 'bob', session_id: ALPHA, epoch: 1, seq: number, beyond: [] };
    this.#cursors.push(cursor);
    await this.store.saveCursors([cursor]);
    await this.store.setMeta('number', number);
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
  }

  async recorded(): Promise<StoreRun> {
    const records: PlacedRecord[] = [];
    const disk = this.disk.copy();
    const scanned = await scanJournal(disk, { onRecord: (record) => void records.push(record) });
    if (scanned.damages.length > 0 || scanned.torn !== null) throw new Error('the recorded run is not sound');
    return {
      disk,
      units: this.#units,
      cursors: this.#cursors,
      audits: this.#audits,
      indexes: this.#index.kept,
      flushEnds: flushEnds(this.disk),
      segments: (await listSegments(disk)).map((segment) => ({ segment, bytes: contentBytes(disk, segment) })),
      records,
    };
  }
}

/** Keeps a copy of its content after each write. */
export class RememberingIndex extends MemoryIndex {
  readonly kept: KeptIndex[] = [];

  override async write(changes: ReadonlyMap<string, Uint8Array | null>): Promise<void> {
    await super.write(changes);
    const checkpoint = readCheckpoint(this, 'simulated');
    const at = checkpoint?.at ?? null;
    if (at !== null) this.kept.push({ at, values: this.copy() });
  }
}

function registered(seq: number): Unit {
  return hubUnit(HUB, seq, 'identity.registered', { name: `agent-${seq}` });
}

function opening(session_id: string): Unit {
  return unit(
    { session_id, seq: 2, sender_id: HUB, event_type: 'session.invite', event_data: { agent_id: 'bob' } },
    { session_id, seq: 3, sender_id: HUB, event_type: 'session.opened', event_data: { active: ['alice', 'bob'] } },
  );
}

function wide(session_id: string, seq: number): Unit {
  return unit({ session_id, seq, event_data: { text: 'é'.repeat(SEGMENT_BYTES / 2) } });
}

function flushEnds(disk: SimDisk): readonly Position[] {
  const ends = disk.events.flatMap((event) => {
    if (typeof event === 'string' || event.operation !== 'write' || event.phase !== 'done') return [];
    const { name, position = 0, bytes = 0 } = event;
    const segment = Number.parseInt(name, 10);
    return Number.isNaN(segment) ? [] : [{ segment, offset: position + bytes }];
  });
  return [...ends, ...new Set(ends.map(({ segment }) => segment))].map((end) =>
    typeof end === 'number' ? { segment: end, offset: 0 } : end,
  );
}

/** The end of the non-zero part of the journal. */
function contentEnd(disk: SimDisk): Position {
  const numbers = disk
    .names()
    .map((name) => Number.parseInt(name, 10))
    .filter((number) => !Number.isNaN(number));
  const written = numbers.filter((segment) => contentBytes(disk, segment) > 0);
  const segment = Math.max(...written);
  return { segment, offset: contentBytes(disk, segment) };
}

function contentBytes(disk: SimDisk, segment: number): number {
  return disk.bytes(segmentName(segment)).findLastIndex((byte) => byte !== 0) + 1;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
}
