// One observer of one session, with a store whose reads come when they are told to.

import { expect, it } from 'vitest';
import type { Entry } from '../../../src/core/records/session/envelope.ts';
import { Observation } from '../../../src/hub/observation.ts';
import type { HubParts } from '../../../src/hub/parts.ts';

function entriesOf(past: string, count: number): readonly Entry[] {
  return Array.from({ length: count }, (_, i) => ({ envelope: { seq: i + 1, past }, turn: null }) as unknown as Entry);
}

it('[OB2] what was read of a past that was rewritten meanwhile is not shown as part of the new one', async () => {
  const reads: ((entries: readonly Entry[]) => void)[] = [];
  const parts = {
    sessions: { peek: () => undefined },
    store: { read: () => new Promise<readonly Entry[]>((resolve) => reads.push(resolve)) },
    redactions: { shown: (entry: Entry) => entry, allShown: (entries: readonly Entry[]) => entries },
    meter: { delivered: 0 },
    bindings: { texts: { of: (envelope: object) => JSON.stringify(envelope) } },
  } as unknown as HubParts;
  const heard: unknown[] = [];
  const send = (text: string): void => {
    const { epoch, envelope } = JSON.parse(text);
    heard.push([epoch, envelope.past, envelope.seq]);
  };
  const target = { agentId: 'o', number: 1, isHeldUp: false, send };
  const head = { session_id: 's', seq: 2, state: 'ACTIVE' } as const;
  const observation = new Observation(parts, target, head, { epoch: 1, afterSeq: 0 }, () => {});
  observation.begin();
  observation.wake({ seq: 1, state: 'ACTIVE' }, 2, []);
  reads[0]?.(entriesOf('old', 2));
  await new Promise((resolve) => setImmediate(resolve));
  reads[1]?.(entriesOf('new', 1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual([[2, 'new', 1]]);
});
