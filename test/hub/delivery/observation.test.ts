// One observer of one session, with a store whose reads the test completes.

import { expect, it } from 'vitest';
import { ConcurrencyLimit } from '../../../src/core/lib/concurrency-limit.ts';
import { silentLog } from '../../../src/core/ports/platform.ts';
import type { Entry } from '../../../src/core/records/session/unit.ts';
import { Observation, type ObservationNeeds } from '../../../src/hub/delivery/observers.ts';
import { Retries } from '../../../src/hub/time/retries.ts';
import { SimClock } from '../../../src/testing/doubles/sim-clock.ts';

function entriesOf(past: string, count: number): readonly Entry[] {
  return Array.from({ length: count }, (_, i) => ({ envelope: { seq: i + 1, past }, turn: null }) as unknown as Entry);
}

it('[OB2] discards entries read in the former epoch', async () => {
  const reads: ((entries: readonly Entry[]) => void)[] = [];
  const needs: ObservationNeeds = {
    log: silentLog,
    store: { read: () => new Promise((resolve) => reads.push(resolve)), head: async () => null },
    retries: new Retries(new SimClock()),
    sessions: { peek: () => undefined },
    reads: new ConcurrencyLimit(1),
    redactions: { shown: (entry) => entry },
    meter: { delivered: 0 },
    texts: { of: (envelope) => JSON.stringify(envelope) },
  };
  const heard: unknown[] = [];
  const send = (text: string): void => {
    const { epoch, envelope } = JSON.parse(text);
    heard.push([epoch, envelope.past, envelope.seq]);
  };
  const target = { agentId: 'o', number: 1, isBackpressured: false, send };
  const head = { session_id: 's', seq: 2, state: 'ACTIVE' } as const;
  const observation = new Observation(needs, target, head, { epoch: 1, afterSeq: 0 }, () => {});
  observation.begin();
  observation.wake({ seq: 1, state: 'ACTIVE' }, 2, []);
  reads[0]?.(entriesOf('old', 2));
  await new Promise((resolve) => setImmediate(resolve));
  reads[1]?.(entriesOf('new', 1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual([[2, 'new', 1]]);
});
