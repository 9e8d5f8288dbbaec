import { createHub } from 'parley-hub';
import { afterEach, describe, expect, it } from 'vitest';

const hubs: Awaited<ReturnType<typeof createHub>>[] = [];
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.stop();
});

async function scene() {
  const hub = await createHub({ limits: { maxSearchEntries: 3 } });
  hubs.push(hub);
  const alice = await hub.agent('alice');
  await hub.agent('bob');
  const session = await alice.open('conversation', ['bob']);
  return { hub, alice, session };
}

describe('a client', () => {
  it('[SR1, SR6] iterates over everything that fits, however many calls that takes', async () => {
    const { alice, session } = await scene();
    const expected: number[] = [];
    for (let i = 0; i < 12; i++) {
      const { seq } = await session.send(i % 3 === 0 ? 'Needle' : 'hay');
      if (i % 3 === 0) expected.unshift(seq);
    }
    const found: number[] = [];
    for await (const { seq } of alice.search('needle', { states: ['ACTIVE'] })) found.push(seq);
    expect(found).toEqual(expected);
    for await (const { seq } of alice.search('needle')) {
      expect(seq).toBe(expected[0]);
      break;
    }
  });

  it('[SR5] is told of options there are not', async () => {
    const { alice } = await scene();
    const wrong = { label: 'x' } as never;
    await expect(alice.search('needle', wrong).next()).rejects.toMatchObject({
      code: 'bad_frame',
      details: { field: 'label' },
    });
  });

  it('[RD3] redacts with the grant `operate`, and its log shows the tombstone', async () => {
    const { hub, alice, session } = await scene();
    const { seq } = await session.send('my key is sk-live-123');
    await expect(session.redact(seq)).rejects.toMatchObject({ code: 'forbidden' });
    await hub.grant('alice', ['operate']);
    const { redacted } = await session.redact(seq, { reason: 'a key' });
    expect(redacted).toMatchObject({ by: alice.agentId, reason: 'a key' });
    const { envelopes } = await alice.call('read_log', { session_id: session.id, from_seq: seq });
    expect(envelopes[0]).toMatchObject({ event_data: { text: '[redacted]' }, redacted });
  });
});
