// Call deadlines also run in the client, because the hub may be unreachable.

import { SimClock } from 'parley-hub/testing';
import { expect, it } from 'vitest';
import { Requests } from '../../../src/client/connection/requests.ts';

function scene() {
  const clock = new SimClock();
  const sent: string[] = [];
  const requests = new Requests((text) => void sent.push(JSON.parse(text).request_id), 1_000_000, clock);
  return { clock, sent, requests };
}

const answered = (request_id: string) =>
  ({ kind: 'response', request_id, ok: true, result: { agents: [], next: null } }) as const;

it('[CB12] times out a request that waits for an unreachable hub and never sends it', async () => {
  const { clock, sent, requests } = scene();
  requests.suspend('the link was lost');
  const late = expect(requests.call('list_agents', {}, { deadlineMs: 100 })).rejects.toMatchObject({
    code: 'timeout',
    message: 'list_agents could not be sent within 100 ms, and was not',
  });
  const patient = requests.call('list_agents', {});
  clock.advance(99);
  expect(sent).toEqual([]);
  clock.advance(1);
  await late;
  requests.resume();
  expect(sent).toEqual(['r2']);
  requests.settle(answered('r2'));
  expect(await patient).toMatchObject({ agents: [] });
});

it('[CB12] times out a request sent before the link was lost, reports an unknown outcome and does not resend it', async () => {
  const { clock, sent, requests } = scene();
  const late = expect(requests.call('list_agents', {}, { deadlineMs: 100 })).rejects.toMatchObject({
    code: 'timeout',
    message: 'list_agents was not answered within 100 ms; it may still take effect',
  });
  requests.suspend('the link was lost');
  clock.advance(100);
  await late;
  requests.resume();
  expect(sent).toEqual(['r1']);
  expect(requests.unanswered).toEqual([]);
});

it('[CB12] times out although the hub is silent; the lane slot stays taken until it answers', async () => {
  const { clock, sent, requests } = scene();
  const late = Array.from({ length: 32 }, () =>
    expect(requests.call('list_agents', {}, { deadlineMs: 100 })).rejects.toMatchObject({ code: 'timeout' }),
  );
  clock.advance(100);
  await Promise.all(late);
  const next = requests.call('list_agents', {});
  expect(sent).toHaveLength(32);
  requests.settle(answered('r1'));
  expect(sent.at(-1)).toBe('r33');
  requests.settle(answered('r33'));
  expect(await next).toMatchObject({ next: null });
});

it('[CB12] forgets the deadline after an answer in time', async () => {
  const { clock, requests } = scene();
  const call = requests.call('list_agents', {}, { deadlineMs: 100 });
  requests.settle(answered('r1'));
  expect(await call).toMatchObject({ agents: [] });
  clock.advance(1000);
  expect(requests.unanswered).toEqual([]);
});
