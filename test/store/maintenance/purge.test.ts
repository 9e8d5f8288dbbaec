// Redacted content leaves the disk with the archive, whatever file it is in and whenever that is interrupted.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/lib/json.ts';
import { isoFromMs, msFromIso } from '../../../src/core/lib/time.ts';
import type { RedactionRecord } from '../../../src/core/ports/store.ts';
import { digestsOf, REDACTED_EVENT, REDACTIONS_LOG } from '../../../src/core/records/session/redaction.ts';
import type { Entry, Unit } from '../../../src/core/records/session/unit.ts';
import type { DurableStore } from '../../../src/store/durable-store.ts';
import { hubUnit } from '../../support/sample-records.ts';
import { SimDisk } from '../../support/sim-disk.ts';
import { itDeep } from '../../support/size.ts';
import { durably } from '../contract/read-store.ts';
import { AN_HOUR_LATER, fill, picture, sessionId } from '../sample-store.ts';
import { openSimStore } from '../sim-store.ts';
import { eachCutOff } from './interrupted-archive.ts';

const ALL = { endedBefore: AN_HOUR_LATER };

async function read(store: DurableStore, id: string, seq: number): Promise<Entry> {
  const [entry] = await store.read(id, { from_seq: seq, to_seq: seq, limit: 1 });
  if (entry === undefined) throw new Error(`no entry ${seq}`);
  return entry;
}

/** As the hub writes it. `pinSeq` null = its state could not be pinned. */
async function redact(store: DurableStore, session_id: string, seq: number, pinSeq: number | null): Promise<void> {
  const { envelope } = await read(store, session_id, seq);
  const body = { state: `kept at ${pinSeq} for ${seq}` };
  const pin = pinSeq === null ? null : { session_id, epoch: 1, seq: pinSeq, fingerprint: 'f', body };
  const about = { by: null, at: AN_HOUR_LATER, reason: null, ...digestsOf(envelope) };
  const record: RedactionRecord = { session_id, seq, envelope_id: envelope.envelope_id, ...about, pin };
  const { token, seq: last } = (await store.position(REDACTIONS_LOG)) ?? { token: null, seq: 0 };
  // A record is JSON; its interfaces only lack an index signature.
  const unit: Unit = hubUnit(REDACTIONS_LOG, last + 1, REDACTED_EVENT, record as unknown as JsonObject);
  await durably(store, REDACTIONS_LOG, token, unit);
}

/** What every reader sees, before and after purging. */
async function shown(store: DurableStore): Promise<object> {
  const { sessions, ...rest } = (await picture(store)) as { sessions: readonly { log: readonly Entry[] }[] };
  const logs = sessions.map(({ log, ...session }) => ({
    ...session,
    log: log.map(({ envelope: { event_data: _, redacted: __, ...envelope }, turn }) => ({ envelope, turn })),
  }));
  return { ...rest, logs };
}

describe('redacted content', () => {
  it('[RD9] leaves the disk with the archive only if the session ended and its state was pinned later', async () => {
    const { store } = await openSimStore(new SimDisk());
    const [ended = '', live = ''] = await fill(store, 4, 6);
    await redact(store, ended, 3, 9);
    await redact(store, ended, 11, 9);
    await redact(store, live, 3, 9);
    await redact(store, sessionId('3'), 3, null);
    await store.archive(ALL);
    expect((await read(store, ended, 3)).envelope).toMatchObject({ event_data: { text: '[redacted]' }, redacted: {} });
    for (const [id, seq] of [
      [ended, 11],
      [live, 3],
      [sessionId('3'), 3],
    ] as const)
      expect((await read(store, id, seq)).envelope.redacted).toBe(undefined);
    // A newer pin replaces all before it, even in the archive; of the older only the record stays.
    await redact(store, ended, 12, 13);
    await store.archive(ALL);
    expect((await read(store, ended, 11)).envelope.redacted).toMatchObject({ reason: null });
    expect((await read(store, ended, 12)).envelope.redacted).toMatchObject({ reason: null });
    const log = await store.read(REDACTIONS_LOG, { from_seq: 1, limit: 10 });
    expect(log.map(({ envelope }) => (envelope.event_data.pin === null ? null : envelope.event_data.seq))).toEqual([
      null,
      null,
      3,
      null,
      12,
    ]);
    expect((await store.verify()).problems).toEqual([]);
    expect(await store.archive(ALL)).toEqual({ sessions: 0, freedBytes: 0 });
    await store.close();
  });

  it('[RD9] leaves only with sessions that ended before the given time', async () => {
    const { store } = await openSimStore(new SimDisk());
    const [ended = ''] = await fill(store, 2, 6);
    await redact(store, ended, 3, 9);
    const closed_at = (await store.head(ended))?.head.closed_at ?? '';
    expect(await store.archive({ endedBefore: closed_at })).toEqual({ sessions: 0, freedBytes: 0 });
    expect((await read(store, ended, 3)).envelope.redacted).toBe(undefined);
    await store.archive({ endedBefore: isoFromMs(msFromIso(closed_at) + 1) });
    expect((await read(store, ended, 3)).envelope.redacted).toMatchObject({ reason: null });
    await store.close();
  });

  it('[RD9] leaves snapshots, and the index is rebuilt; otherwise both stay', async () => {
    let renewed = 0;
    const onIndexRenewed = () => {
      renewed += 1;
    };
    const { store } = await openSimStore(new SimDisk(), { ports: { onIndexRenewed } });
    const [ended = '', live = '', other = ''] = await fill(store, 4, 6);
    const snapshot = (session_id: string) => ({ session_id, epoch: 1, seq: 9, fingerprint: 'f', body: { key: 'x' } });
    for (const id of [ended, live, other]) store.saveSnapshot(snapshot(id));
    await redact(store, ended, 3, 9);
    await store.archive(ALL);
    expect(renewed).toBe(1);
    expect(await store.loadSnapshot(ended)).toBe(null);
    for (const id of [live, other]) expect(await store.loadSnapshot(id)).toEqual(snapshot(id));
    // There is something to archive, but all redacted content is already gone.
    store.saveSnapshot(snapshot(ended));
    await fill(store, 1, 2, 'more');
    expect(await store.archive(ALL)).toMatchObject({ sessions: 1 });
    expect(renewed).toBe(1);
    expect(await store.loadSnapshot(ended)).toEqual(snapshot(ended));
    await store.close();
  });

  itDeep.each(['in the journal', 'in the archive'])(
    '[RD9, DS24] %s, interrupted at any moment, loses nothing',
    async (where) => {
      const disk = new SimDisk();
      const { store } = await openSimStore(disk);
      const ids = await fill(store, 6, 6);
      if (where === 'in the archive') await store.archive(ALL);
      for (const id of ids) await redact(store, id, 4, 5);
      for (const id of ids) await redact(store, id, 7, 9);
      const before = await shown(store);
      await store.close();
      await eachCutOff(disk, ALL.endedBefore, async (after, recovery, when) => {
        expect(await shown(after), when).toEqual(before);
        expect(recovery.damages).toEqual([]);
        expect((await after.verify()).problems).toEqual([]);
        // The next run finishes the rest.
        await after.archive(ALL);
        for (const [i, id] of ids.entries())
          expect((await read(after, id, 4)).envelope.redacted !== undefined).toBe(i % 2 === 0);
        expect(await shown(after)).toEqual(before);
      });
    },
  );
});
