// Observing: each envelope once and in order, whatever happens to the link.

import { AgentClient, type AgentOptions } from 'parley-hub/client';
import type { Link } from 'parley-hub/core';
import { SimClock } from 'parley-hub/testing';
import { expect, it } from 'vitest';
import { countedIds, deferred, keptLog, ME, notify, S1, S2, ScriptedHub, type Told, WELCOME } from '../scripted-hub.ts';

const observed = (told: Told): object => ({ ...notify(told), observed: true });

function subscribed(after_seq: number, more: object = {}): object {
  return { session_id: S1, epoch: 1, after_seq, head_seq: Math.max(1, after_seq), state: 'ACTIVE', ...more };
}

async function scene(options: Partial<AgentOptions> = {}) {
  const clock = new SimClock();
  const hubs: ScriptedHub[] = [];
  const link = (): Link => {
    const hub = new ScriptedHub();
    hubs.push(hub);
    return hub.link();
  };
  const reconnect = { clock, random: () => 1, minMs: 100, maxMs: 1000 };
  const connecting = AgentClient.connect({ link, name: 'alice', ids: countedIds(), reconnect, ...options });
  const [hub] = hubs;
  if (hub === undefined) throw new Error('no link');
  await hub.heard();
  await hub.welcome();
  const client = await connecting;
  const seen: number[] = [];
  return { clock, hub, hubs, client, seen, see: ({ seq }: { seq: number }) => void seen.push(seq) };
}

/** The link is lost and replaced; its hub welcomes. */
async function comeBack({ hubs, clock }: Awaited<ReturnType<typeof scene>>): Promise<ScriptedHub> {
  hubs.at(-1)?.close();
  await hubs.at(-1)?.flush();
  clock.advance(100);
  const hub = hubs.at(-1);
  if (hub === undefined) throw new Error('no link');
  await hub.request('').catch(() => {});
  hub.received.length = 0;
  await hub.welcome();
  return hub;
}

it('[OV1] observes from a seq on, passes each envelope once and in order, and acks nothing', async () => {
  const world = await scene();
  const { hub, client, seen, see } = world;
  const observing = client.observe(S1, see, { afterSeq: 3 });
  expect(await hub.answer('subscribe', subscribed(3))).toEqual({ session_id: S1, after_seq: 3 });
  const observation = await observing;
  hub.say(observed({ seq: 4 }), observed({ seq: 5, type: 'session.participant.hidden', data: { agent_id: ME } }));
  hub.say(observed({ seq: 5 }), observed({ seq: 6 }), observed({ session: S2, seq: 1 }));
  expect(await hub.heard()).toEqual([]);
  expect(seen).toEqual([4, 5, 6]);
  observation.stop();
  observation.stop();
  expect(await hub.request('unsubscribe')).toMatchObject({ params: { session_id: S1 } });
  expect(await hub.heard()).toEqual([]);
  hub.say(observed({ seq: 7 }));
  await hub.flush();
  expect(seen).toEqual([4, 5, 6]);
  expect(await observation.ended).toEqual({ by: 'caller' });
});

it('[OV1] loses nothing that arrives in the same tick as the answer', async () => {
  let hear = (_text: string): void => {};
  const sent: string[] = [];
  const link = (): Link => ({
    send: (text) => void sent.push(text),
    onMessage: (listener) => {
      hear = listener;
    },
    onClose: () => {},
    close: () => {},
  });
  const connecting = AgentClient.connect({ link, name: 'alice', ids: countedIds() });
  hear(WELCOME);
  const client = await connecting;
  const seen: number[] = [];
  const observing = client.observe(S1, ({ seq }) => void seen.push(seq), { afterSeq: 3 });
  const { request_id } = JSON.parse(sent.find((text) => text.includes('"subscribe"')) ?? '{}');
  hear(
    JSON.stringify({ kind: 'response', request_id, ok: true, result: subscribed(3, { head_seq: 5, state: 'CLOSED' }) }),
  );
  for (const seq of [4, 5])
    hear(JSON.stringify(observed({ seq, ...(seq === 5 ? { type: 'session.closed', data: {} } : {}) })));
  const observation = await observing;
  expect(await observation.ended).toEqual({ by: 'session' });
  expect(seen).toEqual([4, 5]);
  client.close();
});

it('[OV1, OB4] keeps observed envelopes apart from the participant’s stream', async () => {
  const messages: number[] = [];
  const { hub, client, seen, see } = await scene({ onMessage: ({ envelope }) => void messages.push(envelope.seq) });
  const observing = client.observe(S1, see);
  await hub.answer('subscribe', subscribed(2));
  await observing;
  hub.say(observed({ seq: 3 }), notify({ seq: 3, prev: 0 }), observed({ seq: 4 }));
  await hub.flush();
  await hub.answer('get_session', { session: { session_id: S1, participants: [], state: 'ACTIVE', head_seq: 4 } });
  await hub.flush();
  expect([seen, messages]).toEqual([[3, 4], [3]]);
  expect(await hub.heard()).toEqual([
    `{"kind":"receipt","recipient_id":"${ME}","session_id":"${S1}","seq":3,"status":"ack"}`,
  ]);
});

it('[OV2] subscribes again from the last seq after a lost link and repeats nothing', async () => {
  const world = await scene();
  const { hub, client, seen, see } = world;
  const observing = client.observe(S1, see, { afterSeq: 0 });
  await hub.answer('subscribe', subscribed(0));
  await observing;
  hub.say(observed({ seq: 1 }), observed({ seq: 2 }));
  await hub.flush();
  const next = await comeBack(world);
  expect(await next.answer('subscribe', subscribed(2))).toEqual({ session_id: S1, after_seq: 2 });
  next.say(observed({ seq: 2 }), observed({ seq: 3 }));
  await next.flush();
  expect(seen).toEqual([1, 2, 3]);
});

it('[OV2] subscribes again if the link is lost before the hub agreed; the promise waits', async () => {
  const world = await scene();
  const { hub, client, seen, see } = world;
  const observing = client.observe(S1, see);
  await hub.request('subscribe');
  const next = await comeBack(world);
  // The unanswered one, and that of the new binding, whose answer counts.
  await next.answer('subscribe', subscribed(7));
  await next.answer('subscribe', subscribed(8));
  await observing;
  next.say(observed({ seq: 8 }), observed({ seq: 9 }));
  await next.flush();
  expect(seen).toEqual([9]);
});

it('[OV2] asks once for the envelopes missing in a hole and gets them in order', async () => {
  const { hub, client, seen, see } = await scene();
  const observing = client.observe(S1, see, { afterSeq: 0 });
  await hub.answer('subscribe', subscribed(0));
  await observing;
  hub.say(observed({ seq: 1 }), observed({ seq: 3 }), observed({ seq: 4 }));
  await hub.flush();
  expect(seen).toEqual([1]);
  expect(await hub.answer('subscribe', subscribed(1))).toEqual({ session_id: S1, after_seq: 1 });
  hub.say(observed({ seq: 2 }), observed({ seq: 3 }), observed({ seq: 4 }));
  expect(await hub.heard()).toEqual([]);
  expect(seen).toEqual([1, 2, 3, 4]);
});

it('[OV2] starts over when history was rewritten', async () => {
  const world = await scene();
  const { hub, client } = world;
  const seen: string[] = [];
  const observing = client.observe(S1, ({ seq }, { epoch }) => seen.push(`${epoch}:${seq}`), { afterSeq: 0 });
  await hub.answer('subscribe', subscribed(0));
  await observing;
  hub.say(observed({ seq: 1 }), observed({ seq: 2 }));
  await hub.flush();
  const next = await comeBack(world);
  await next.answer('subscribe', subscribed(1, { epoch: 2 }));
  expect(await next.answer('subscribe', subscribed(0, { epoch: 2 }))).toEqual({ session_id: S1, after_seq: 0 });
  next.say(observed({ seq: 1, epoch: 2 }));
  await next.flush();
  next.say(observed({ seq: 1, epoch: 3 }));
  await next.flush();
  expect(seen).toEqual(['1:1', '1:2', '2:1', '3:1']);
});

it('[OV3] ends with the session, after everything was handled', async () => {
  const { hub, client, seen, see } = await scene();
  const gate = deferred();
  const observing = client.observe(S1, (envelope) => gate.promise.then(() => see(envelope)), { afterSeq: 0 });
  await hub.answer('subscribe', subscribed(0));
  const observation = await observing;
  let end: unknown;
  void observation.ended.then((how) => {
    end = how;
  });
  hub.say(observed({ seq: 1 }), observed({ seq: 2, type: 'session.closed' }));
  await hub.flush();
  expect(end).toBeUndefined();
  gate.resolve();
  await hub.flush();
  expect([seen, end]).toEqual([[1, 2], { by: 'session' }]);
  // An ended session has nothing to show.
  const late = client.observe(S1, see);
  await hub.answer('subscribe', subscribed(2, { state: 'CLOSED' }));
  expect(await (await late).ended).toEqual({ by: 'session' });
});

it('[OV3] ends when the hub rejects it, at first or later, and with the client', async () => {
  const { hub, client, see } = await scene();
  const refused = expect(client.observe(S1, see)).rejects.toMatchObject({ code: 'not_found' });
  await hub.refuse('subscribe', { code: 'not_found', message: 'no' });
  await refused;
  const observing = client.observe(S1, see);
  await hub.answer('subscribe', subscribed(1));
  const observation = await observing;
  await expect(client.observe(S1, see)).rejects.toMatchObject({ code: 'already_observed' });
  hub.say({
    kind: 'error',
    error: { code: 'forbidden', message: 'no more', details: { session_id: S1, observed: true } },
  });
  expect(await observation.ended).toMatchObject({ by: 'refusal', error: { code: 'forbidden' } });
  const again = client.observe(S1, see);
  await hub.answer('subscribe', subscribed(1));
  const other = client.observe(S2, see).catch((error: unknown) => error);
  client.close();
  expect(await (await again).ended).toEqual({ by: 'client' });
  expect(await other).toMatchObject({ code: 'client_closed' });
});

it('[OV4] leaves the rest at the hub when the handler is slow and fetches it later', async () => {
  const { hub, client, seen, see } = await scene();
  const gate = deferred();
  const observing = client.observe(S1, (envelope) => gate.promise.then(() => see(envelope)), { afterSeq: 0 });
  await hub.answer('subscribe', subscribed(0));
  await observing;
  for (let seq = 1; seq <= 1010; seq++) hub.say(observed({ seq }));
  await hub.flush();
  await hub.answer('unsubscribe', { session_id: S1 });
  expect(await hub.heard()).toEqual([]);
  gate.resolve();
  await hub.flush();
  const { after_seq } = await hub.answer('subscribe', subscribed(1001));
  expect([after_seq, seen.length]).toEqual([1001, 1001]);
  for (let seq = 1002; seq <= 1010; seq++) hub.say(observed({ seq }));
  await hub.flush();
  expect(seen).toEqual(Array.from({ length: 1010 }, (_, i) => i + 1));
});

it('[OV5, CL24] logs a throwing handler and continues', async () => {
  const log = keptLog();
  const { hub, client, seen, see } = await scene({ log });
  const failing = (envelope: { seq: number }): void => {
    see(envelope);
    if (envelope.seq === 1) throw new Error('no');
  };
  const onDelta = (): never => {
    throw new Error('nor this');
  };
  const observing = client.observe(S1, failing, { afterSeq: 0, onDelta });
  await hub.answer('subscribe', subscribed(0));
  await observing;
  hub.say({ kind: 'delta', recipient_id: ME, observed: true, session_id: S1, sender_id: 'b', turn_id: 't', index: 0 });
  hub.say(observed({ seq: 1 }), observed({ seq: 2 }));
  await hub.flush();
  expect(seen).toEqual([1, 2]);
  expect(log.lines.filter((line) => line.includes('"no"') || line.includes('"nor this"'))).toHaveLength(2);
});

it('[CL4] rejects options and handlers of the wrong kind before anything is sent', async () => {
  const { hub, client, see } = await scene();
  const wrong = (call: Promise<unknown>) => expect(call).rejects.toMatchObject({ code: 'bad_frame' });
  await wrong(client.observe(S1, 5 as never));
  await wrong(client.observe(S1, see, { after: 1 } as never));
  await wrong(client.observe(S1, see, { onDelta: 5 as never }));
  expect(await hub.heard()).toEqual([]);
});
