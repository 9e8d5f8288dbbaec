// A recorded run of the durable store, cut at every byte and with a bit flipped at every byte: the rest of the
// journal opens, every log is a prefix in whole units, and damage is named.

import { beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/core/ports/store.ts';
import type { Entry, Unit } from '../../src/core/records/session/unit.ts';
import { MemoryIndex } from '../../src/store/index/memory-index.ts';
import { segmentName } from '../../src/store/journal/files.ts';
import type { PlacedRecord, Position } from '../../src/store/journal/journal-types.ts';
import { RECORD_HEADER_BYTES } from '../../src/store/journal/record.ts';
import { createdUnit, textUnit, unit } from '../support/sample-records.ts';
import { SimDisk } from '../support/sim-disk.ts';
import { itDeep, runs } from '../support/size.ts';
import {
  ALPHA,
  BETA,
  isBefore,
  LOGS,
  recordedStore,
  SEGMENT_BYTES,
  SESSIONS,
  type StoreRun,
} from './recorded-store.ts';
import { openSimStore } from './sim-store.ts';

const LONG = 120_000;
/** The quick run tries every fifth byte. */
const STEP = runs(1, 5);

let killed: StoreRun;
let closed: StoreRun;

beforeAll(async () => {
  killed = await recordedStore({ closed: false });
  closed = await recordedStore({ closed: true });
});

describe('the recorded run', () => {
  it('is several flushes of several logs over several segments and indexes', () => {
    expect(killed.segments.length).toBeGreaterThan(5);
    expect(killed.units.length).toBe(11);
    expect(killed.units.filter(({ unit }) => unit.entries.length > 1).length).toBe(2);
    expect(killed.records.filter(({ kind }) => kind === 'lazy').length).toBe(6);
    expect(new Set(killed.indexes.map(({ at }) => JSON.stringify(at))).size).toBeGreaterThan(5);
  });
});

describe('a journal cut at every byte', () => {
  itDeep(
    '[DS1] opens without its index: every log is a prefix in whole units, with everything confirmed',
    () => eachCut((place) => checkCut(cutAt(place), new MemoryIndex(), place)),
    LONG,
  );

  itDeep(
    '[DS1] opens with any older index and zeros after the cut: the same',
    () =>
      eachCut((place, n) => {
        const known = killed.indexes.filter(({ at }) => !isBefore(place, at));
        const index = known[n % Math.max(1, known.length)];
        return checkCut(blankFrom(place), new MemoryIndex(index?.values), place);
      }),
    LONG,
  );

  it(
    '[DS1] continues after the cut: new appends are found with the rest, and nothing is reported again',
    () => eachCut((place) => checkGoesOn(cutAt(place), place), { step: 7 * STEP }),
    LONG,
  );
});

describe('a bit flipped at every byte', () => {
  itDeep(
    '[DS2] without the index: names the damaged log, which reads up to the damage; all others are intact',
    () => eachFlip((disk, victim) => checkSpoilt(disk, new MemoryIndex(), victim, 'when it opens')),
    LONG,
  );

  itDeep(
    '[DS2] with the index: the first reader finds the damage, then the same holds',
    () =>
      eachFlip((disk, victim) => {
        const index = closed.indexes.at(-1);
        return checkSpoilt(disk, new MemoryIndex(index?.values), victim, 'on reading');
      }),
    LONG,
  );
});

describe('damage', () => {
  it('[DS2] names the log with the lost header by its text, but no log a client only mentions', async () => {
    const disk = new SimDisk();
    const { store } = await openSimStore(disk);
    for (const id of [ALPHA, BETA]) await durable(store, id, createdUnit(id));
    const said = { entries: [{ envelope: { session_id: ALPHA } }] };
    await durable(store, BETA, unit({ session_id: BETA, seq: 2, event_data: said }));
    await store.close();
    const at = Buffer.from(disk.bytes(segmentName(1))).indexOf('{"entries":[{"envelope":{"session_id":"bbb', 1200);
    disk.flipBit(segmentName(1), at - RECORD_HEADER_BYTES + 20, 3);
    const { recovery } = await openSimStore(disk);
    expect(recovery.damagedLogs).toEqual([{ log_id: BETA, damaged_from: 2 }]);
    expect(recovery.damages).toMatchObject([{ logIds: [BETA], unknown: true }]);
  });

  it('[DS2] that erases a whole unit shows as a hole in its log; after the last unit only the position is known', async () => {
    for (const record of closed.records.filter(({ kind }) => kind === 'unit')) {
      const { segment, offset } = record.position;
      const disk = closed.disk.copy();
      disk.replace(segmentName(segment), disk.bytes(segmentName(segment)).fill(0, offset, offset + record.bytes));
      const { recovery } = await openSimStore(disk, { segmentBytes: SEGMENT_BYTES });
      const isLast = closed.records.findLast(({ logId }) => logId === record.logId) === record;
      const named = { log_id: record.logId, damaged_from: firstSeqOf(record) };
      expect(recovery.damagedLogs, `${segment}/${offset}`).toEqual(isLast ? [] : [named]);
      expect(recovery.damages, `${segment}/${offset}`).toMatchObject([{ unknown: true }]);
      expect(recovery.torn).toBeNull();
    }
  });

  itDeep('[DS2] is still known after an interrupted long rebuild of the index', async () => {
    const disk = new SimDisk();
    const segmentBytes = 16 * 1024 * 1024;
    const { store } = await openSimStore(disk, { segmentBytes });
    await durable(store, ALPHA, createdUnit(ALPHA));
    await durable(store, ALPHA, textUnit(ALPHA, 2));
    for (let i = 0; i < 20_100; i++) {
      store.audit({ at: '', kind: 'k', actor: null, session_id: null, detail: {} });
    }
    await durable(store, BETA, createdUnit(BETA));
    await durable(store, BETA, textUnit(BETA, 2));
    await store.close();
    const at = Buffer.from(disk.bytes(segmentName(1))).indexOf('message 2');
    disk.flipBit(segmentName(1), at, 0);
    const states: ReadonlyMap<string, Uint8Array>[] = [];
    class Watched extends MemoryIndex {
      override async write(changes: ReadonlyMap<string, Uint8Array | null>): Promise<void> {
        await super.write(changes);
        states.push(this.copy());
      }
    }
    await openSimStore(disk, { index: new Watched(), segmentBytes });
    expect(states.length).toBeGreaterThan(1);
    disk.kill();
    const { recovery } = await openSimStore(disk, { index: new MemoryIndex(states[0]), segmentBytes });
    expect(recovery.replayed).toBeGreaterThan(0);
    expect(recovery.damagedLogs).toEqual([{ log_id: ALPHA, damaged_from: 2 }]);
  });

  it('[DS2] never lets an envelope id be reused', async () => {
    const disk = new SimDisk();
    const { store } = await openSimStore(disk);
    await durable(store, ALPHA, createdUnit(ALPHA));
    for (const seq of [2, 3]) await durable(store, ALPHA, textUnit(ALPHA, seq));
    await store.close();
    const newest = await store.newestEnvelopeId();
    disk.flipBit(segmentName(1), Buffer.from(disk.bytes(segmentName(1))).indexOf('message 2'), 0);
    const again = await openSimStore(disk);
    expect(again.recovery.damagedLogs).toEqual([{ log_id: ALPHA, damaged_from: 2 }]);
    expect(await again.store.newestEnvelopeId()).toBe(newest);
  });
});

/** Cheaper than thousands of expectations. */
function must(holds: boolean, where: string, what: () => string): void {
  if (!holds) throw new Error(`${where}: ${what()}`);
}

async function eachCut(
  check: (place: Position, n: number) => Promise<void>,
  { step = STEP }: { readonly step?: number } = {},
): Promise<void> {
  let n = 0;
  for (const { segment, bytes } of killed.segments) {
    for (let offset = segment % step; offset <= bytes; offset += step) await check({ segment, offset }, n++);
  }
  expect(n).toBeGreaterThan(7_000 / step);
}

function cutAt({ segment, offset }: Position): SimDisk {
  const disk = killed.disk.copy();
  disk.cutAt(segmentName(segment), offset);
  for (const later of killed.segments.filter((one) => one.segment > segment)) disk.erase(segmentName(later.segment));
  return disk;
}

/** Like a torn write to a preallocated file. */
function blankFrom(place: Position): SimDisk {
  const disk = cutAt(place);
  const name = segmentName(place.segment);
  const bytes = new Uint8Array(killed.disk.bytes(name).length);
  bytes.set(disk.bytes(name));
  disk.replace(name, bytes);
  return disk;
}

async function checkCut(disk: SimDisk, index: MemoryIndex, place: Position): Promise<void> {
  const where = `cut at ${place.segment}/${place.offset}`;
  const { store, recovery } = await openSimStore(disk, { index, segmentBytes: SEGMENT_BYTES });
  const isWhole = killed.flushEnds.some((end) => end.segment === place.segment && end.offset === place.offset);
  must((recovery.torn === null) === isWhole, where, () => `torn is ${JSON.stringify(recovery.torn)}`);
  must(recovery.damages.length + recovery.damagedLogs.length === 0, where, () => 'a cut is no damage');
  const there: string[] = [];
  for (const logId of LOGS) {
    const entries = await all(store, logId);
    if (entries.length > 0) there.push(logId);
    const units = unitsOf(killed, logId);
    const whole = wholeUnits(
      units.map(({ unit }) => unit),
      entries,
    );
    must(
      whole !== -1,
      where,
      () => `${logId} has ${entries.map(({ envelope }) => envelope.seq)}, which is no leading part`,
    );
    const confirmed = units.filter(({ confirmedAt }) => !isBefore(place, confirmedAt)).length;
    must(whole >= confirmed, where, () => `${logId} has ${whole} units of ${confirmed} that were confirmed`);
    const position = await store.position(logId);
    must((position?.seq ?? 0) === entries.length, where, () => `${logId} is said to end at ${position?.seq}`);
  }
  await checkBeside(
    store,
    there.filter((logId) => logId !== 'hub'),
    where,
  );
}

/** Lists, live sessions and side records agree with the logs. */
async function checkBeside(store: Store, sessions: readonly string[], where: string): Promise<void> {
  const listed = (await store.list({ limit: 100 })).heads.map(({ head }) => head.session_id).sort();
  must(`${listed}` === `${sessions}`, where, () => `listed are ${listed}`);
  const alive = await live(store);
  must(`${alive}` === `${sessions}`, where, () => `live are ${alive}`);
  const [cursor] = await store.loadCursors('bob');
  const isKnown = cursor === undefined || killed.cursors.some(({ seq }) => cursor.seq === seq);
  must(isKnown, where, () => `the cursor is ${JSON.stringify(cursor)}`);
  const audits = await store.readAudit({ after: 0, limit: 100 });
  const inOrder = audits.every(({ number, detail }, i) => number === i + 1 && detail.number === i + 1);
  must(inOrder, where, () => `the audit is ${JSON.stringify(audits)}`);
}

async function checkGoesOn(disk: SimDisk, place: Position): Promise<void> {
  const where = `behind a cut at ${place.segment}/${place.offset}`;
  const { store } = await openSimStore(disk, { segmentBytes: SEGMENT_BYTES });
  const before = new Map<string, readonly Entry[]>();
  for (const logId of LOGS) {
    before.set(logId, await all(store, logId));
    const position = await store.position(logId);
    const next = textUnit(logId, (position?.seq ?? 0) + 1, 2);
    const { kind } = await store.append(logId, position?.token ?? null, next).outcome;
    must(kind === 'durable', where, () => `an append to ${logId} is ${kind}`);
  }
  disk.kill();
  const { store: again, recovery } = await openSimStore(disk, { segmentBytes: SEGMENT_BYTES });
  must(recovery.torn === null && recovery.damages.length === 0, where, () => JSON.stringify(recovery));
  for (const logId of LOGS) {
    const entries = await all(again, logId);
    const kept = before.get(logId) ?? [];
    const isKept = entries.length === kept.length + 2 && isEqual(entries.slice(0, kept.length), kept);
    must(isKept, where, () => `${logId} has ${entries.length} entries, not ${kept.length} and 2`);
  }
}

async function eachFlip(check: (disk: SimDisk, victim: Victim) => Promise<void>): Promise<void> {
  let n = 0;
  for (const { segment, bytes } of closed.segments) {
    for (let byte = 0; byte < bytes; byte += STEP, n++) {
      const disk = closed.disk.copy();
      const bit = (byte * 5 + segment) % 8;
      disk.flipBit(segmentName(segment), byte, bit);
      const where = `bit ${bit} of ${segment}/${byte}`;
      await check(disk, { record: recordAt(segment, byte), isSeal: isSeal(segment, byte), n, where });
    }
  }
  expect(n).toBeGreaterThan(7_000 / STEP);
}

interface Victim {
  /** Absent = a mark was hit. */
  readonly record: PlacedRecord | undefined;
  /** The final mark was hit: the last flush looks torn but is complete. */
  readonly isSeal: boolean;
  readonly n: number;
  readonly where: string;
}

function isSeal(segment: number, byte: number): boolean {
  const last = closed.records.at(-1);
  return last !== undefined && segment === last.position.segment && byte >= last.position.offset + last.bytes;
}

function recordAt(segment: number, byte: number): PlacedRecord | undefined {
  return closed.records.find(({ position, bytes }) => {
    return position.segment === segment && position.offset <= byte && byte < position.offset + bytes;
  });
}

async function checkSpoilt(
  disk: SimDisk,
  index: MemoryIndex,
  { record, isSeal, n, where }: Victim,
  when: 'when it opens' | 'on reading',
): Promise<void> {
  const told: string[] = [];
  const onDamage = (logId: string, fromSeq: number) => void told.push(`${logId} from ${fromSeq}`);
  const { store, recovery } = await openSimStore(disk, { index, segmentBytes: SEGMENT_BYTES, ports: { onDamage } });
  must(recovery.torn === null || isSeal, where, () => 'confirmed writes are taken for torn');
  if (when === 'when it opens') {
    told.push(...recovery.damagedLogs.map(({ log_id, damaged_from }) => `${log_id} from ${damaged_from}`));
  }
  const hit = record?.kind === 'unit' ? record.logId : null;
  const fromSeq = hit === null || record === undefined ? Number.POSITIVE_INFINITY : firstSeqOf(record);
  for (const logId of LOGS) {
    const sound = entriesOf(closed, logId).filter(({ envelope }) => logId !== hit || envelope.seq < fromSeq);
    const read = await all(store, logId);
    must(isEqual(read, sound), where, () => `${logId} has ${read.length} entries of ${sound.length} sound ones`);
  }
  must(`${told}` === (hit === null ? '' : `${hit} from ${fromSeq}`), where, () => `told was "${told}", hit was ${hit}`);
  await checkHeads(store, hit, fromSeq, where);
  await checkAudit(store, record, where);
  // A flush is slow; neighbours behave alike.
  await checkAppends(store, hit, where, n % 5 === 0);
}

async function checkHeads(store: Store, hit: string | null, fromSeq: number, where: string): Promise<void> {
  for (const id of SESSIONS) {
    const head = await store.head(id);
    // Without its first unit a session has no head.
    const expected = id === hit ? fromSeq : null;
    const isRight = head === null ? id === hit && fromSeq === 1 : head.damaged_from === expected;
    must(isRight, where, () => `the head of ${id} says ${head?.damaged_from}`);
  }
  const alive = await live(store);
  must(`${alive}` === `${SESSIONS.filter((id) => id !== hit)}`, where, () => `live are ${alive}`);
}

/** Only the damaged audit record is missing. */
async function checkAudit(store: Store, record: PlacedRecord | undefined, where: string): Promise<void> {
  const lost = record?.logId === 'audit' ? JSON.parse(record.text).detail.number : null;
  const audits = await store.readAudit({ after: 0, limit: 100 });
  const expected = Array.from({ length: closed.audits }, (_, i) => i + 1).filter((number) => number !== lost);
  const found = audits.map(({ detail }) => detail.number);
  must(`${found}` === `${expected}`, where, () => `the audit has ${found}, not ${expected}`);
}

async function checkAppends(store: Store, hit: string | null, where: string, toAll: boolean): Promise<void> {
  const outcomes = [];
  for (const logId of LOGS) {
    const position = await store.position(logId);
    const append = () =>
      store.append(logId, position?.token ?? null, textUnit(logId, (position?.seq ?? 0) + 1)).outcome;
    if (logId === hit) must((await append()).kind === 'conflict', where, () => `an append to ${logId} was taken`);
    else if (toAll) outcomes.push(append());
  }
  for (const { kind } of await Promise.all(outcomes)) must(kind === 'durable', where, () => `an append is ${kind}`);
}

async function durable(store: Store, logId: string, what: Unit): Promise<void> {
  const position = await store.position(logId);
  expect(await store.append(logId, position?.token ?? null, what).outcome).toEqual({ kind: 'durable' });
}

function unitsOf(run: StoreRun, logId: string) {
  return run.units.filter((written) => written.logId === logId);
}

function entriesOf(run: StoreRun, logId: string): readonly Entry[] {
  return unitsOf(run, logId).flatMap(({ unit }) => unit.entries);
}

/** The number of units these entries are a prefix of; -1 = not a prefix. */
function wholeUnits(units: readonly Unit[], entries: readonly Entry[]): number {
  let left = entries;
  for (const [count, { entries: whole }] of units.entries()) {
    if (left.length === 0) return count;
    if (!isEqual(left.slice(0, whole.length), whole)) return -1;
    left = left.slice(whole.length);
  }
  return left.length === 0 ? units.length : -1;
}

function firstSeqOf({ text }: PlacedRecord): number {
  return JSON.parse(text).entries[0].envelope.seq;
}

function all(store: Store, logId: string): Promise<readonly Entry[]> {
  return store.read(logId, { from_seq: 1, limit: 100 });
}

async function live(store: Store): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const page of store.liveRows()) ids.push(...page.map(({ session_id }) => session_id));
  return ids.sort();
}

function isEqual(a: readonly Entry[], b: readonly Entry[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
