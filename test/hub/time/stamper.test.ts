import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stampMs } from '../../../src/core/records/session/stamp.ts';
import { Stamper } from '../../../src/hub/time/stamper.ts';
import { systemIds } from '../../../src/system/ids.ts';

it('[RE4] stamps for many logs, some with foreign ids, only increase', () => {
  const steps = fc.array(
    fc.record({ log: fc.nat(3), jumpMs: fc.integer({ min: -5, max: 5 }), foreign: fc.option(fc.nat(20), { freq: 4 }) }),
    { minLength: 1, maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (taken) => {
      let nowMs = 1_767_225_600_000;
      const stamper = new Stamper({ now: () => nowMs, monotonic: () => 0, after: () => () => {} }, systemIds);
      const lastOf = new Map<number, string>();
      let greatest = '';
      for (const { log, jumpMs, foreign } of taken) {
        nowMs += jumpMs;
        if (foreign !== null) lastOf.set(log, (nowMs + foreign).toString(16).padStart(12, '0') + '0'.repeat(20));
        const last = lastOf.get(log) ?? null;
        const { envelope_id, created_at } = stamper.next(last);
        expect(envelope_id).toMatch(/^[0-9a-f]{32}$/);
        expect(envelope_id > greatest && envelope_id > (last ?? '')).toBe(true);
        expect(Date.parse(created_at)).toBe(stampMs(envelope_id));
        greatest = envelope_id;
        lastOf.set(log, envelope_id);
      }
    }),
    { numRuns: 1000 },
  );
});

it('[RE4] stamps follow an id found in a log', () => {
  const nowMs = 1_767_225_600_000;
  const stamper = new Stamper({ now: () => nowMs, monotonic: () => 0, after: () => () => {} }, systemIds);
  const found = (nowMs + 5000).toString(16).padStart(12, '0') + 'f'.repeat(20);
  stamper.observe(found);
  stamper.observe('0'.repeat(32));
  const { envelope_id } = stamper.next(null);
  expect(envelope_id > found).toBe(true);
});

it('[RE4] asks for random digits once a millisecond', () => {
  let nowMs = 1_767_225_600_000;
  let asked = 0;
  const hex32 = () => {
    asked += 1;
    return systemIds.hex32();
  };
  const stamper = new Stamper({ now: () => nowMs, monotonic: () => 0, after: () => () => {} }, { hex32 });
  const stamped = [0, 0, 0, 1, 1, 1].map((passedMs) => {
    nowMs += passedMs;
    return stamper.next(null).envelope_id;
  });
  expect(asked).toBe(4);
  expect(new Set(stamped).size).toBe(6);
});

it('[RE5] ids are 32 lower-case hex digits without repeats', () => {
  const ids = Array.from({ length: 10_000 }, () => systemIds.hex32());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[0-9a-f]{32}$/.test(id))).toEqual([]);
});
