// Messages lost on a live link: the client asks the hub what is open, and compares.

import { AgentClient, type AgentOptions } from 'parley-hub/client';
import { SimClock } from 'parley-hub/testing';
import { expect, it } from 'vitest';
import { countedIds, HELLO, ME, notify, S1, ScriptedHub, WELCOME } from '../scripted-hub.ts';
import { heardAfter, tell } from '../world.ts';

const BEAT_MS = 20_000;
const MARKS = WELCOME.replace('"features":[]', '"features":["stream_starts"]');

interface Scene {
  readonly hub: ScriptedHub;
  readonly client: AgentClient;
  readonly read: string[];
  /** What the client sent since, up to its ping. */
  beat(): Promise<readonly string[]>;
  /** The hub's open items, in answer to the last ping. */
  pong(open: readonly string[], unacked?: number, invites?: number): Promise<readonly string[]>;
}

async function scene(options: Partial<AgentOptions> = {}, welcome = WELCOME): Promise<Scene> {
  const clock = new SimClock();
  const hub = new ScriptedHub();
  const read: string[] = [];
  const connecting = AgentClient.connect({
    link: hub.link,
    name: 'alice',
    ids: countedIds(),
    reconnect: { clock, random: () => 1, quietMs: BEAT_MS },
    onMessage: ({ text }) => void read.push(text),
    ...options,
  });
  await hub.heard();
  hub.say(welcome);
  await hub.flush();
  const client = await connecting;
  let id = '';
  return {
    hub,
    client,
    read,
    async beat() {
      clock.advance(BEAT_MS);
      const heard = await hub.heard();
      id = JSON.parse(heard.at(-1) ?? '{}').id;
      return heard.slice(0, -1);
    },
    async pong(open, unacked = 0, invites = 0) {
      await tell(hub, { kind: 'pong', id, open, unacked, invites });
      return hub.heard();
    },
  };
}

const POSTED = { envelope_id: 'e', seq: 1, created_at: 't', turn: null };

it('[CB8] resends a request the hub does not know, but none it works on or received after the ping', async () => {
  const { hub, client, beat, pong } = await scene();
  const lost = client.session(S1).send('one', { key: 'k1' });
  const open = client.open('consulting', { participants: ['bob'], key: 'k2' });
  const [first, second] = await beat();
  const later = client.session(S1).send('two', { key: 'k3' });
  expect(await hub.heard()).toHaveLength(1);
  expect(await pong(['r2'])).toEqual([first]);
  expect(second).toContain('create_session');
  hub.say({ kind: 'response', request_id: 'r1', ok: true, result: POSTED });
  hub.say({ kind: 'response', request_id: 'r3', ok: true, result: { ...POSTED, seq: 2 } });
  expect([(await lost).seq, (await later).seq]).toEqual([1, 2]);
  open.catch(() => {});
  client.close();
});

it('[CB8] rejects a lost request that is unsafe to resend, with an unknown outcome', async () => {
  const { client, beat, pong } = await scene();
  const asked = client.setSkill('x');
  const refused = expect(asked).rejects.toMatchObject({ code: 'unavailable', details: { outcome: 'unknown' } });
  await beat();
  expect(await pong([])).toEqual([]);
  await refused;
});

it('[CB8] ignores a pong to an older ping or without open items', async () => {
  const { hub, client, beat, pong } = await scene();
  client
    .session(S1)
    .send('one')
    .catch(() => {});
  await beat();
  hub.say({ kind: 'pong' }, { kind: 'pong', id: 'p0', open: [] });
  expect(await hub.heard()).toEqual([]);
  expect(await pong([])).toHaveLength(1);
  expect(await pong([])).toEqual([]);
  client.close();
});

it('[CB9] says hello again when an envelope or a receipt was lost', async () => {
  const { hub, read, beat, pong } = await scene();
  await tell(hub, notify({ seq: 1 }));
  expect(await beat()).toHaveLength(1);
  expect((await pong([], 1)).map((text) => JSON.parse(text))).toMatchObject([
    { kind: 'hello', resume: { [S1]: { seq: 1, epoch: 1 } } },
  ]);
  await hub.welcome();
  await tell(hub, notify({ seq: 2 }));
  expect(read).toEqual(['text 1', 'text 2']);
});

it('[CB9] sees no loss in envelopes being handled, just received or nacked', async () => {
  let isWilling = false;
  const held = deferred();
  const onMessage = async (): Promise<void> => {
    if (!isWilling) throw new Error('not now');
    await held.promise;
  };
  const { hub, beat, pong } = await scene({ onMessage });
  await tell(hub, notify({ seq: 1 }));
  isWilling = true;
  await tell(hub, notify({ seq: 2 }));
  await beat();
  await tell(hub, notify({ seq: 3 }));
  expect(await pong([], 2)).toEqual([]);
  await beat();
  // The nack was lost.
  expect(await pong([], 3)).toHaveLength(1);
  held.resolve();
});

it('[CB9] detects a lost invite in the same way', async () => {
  const { hub, beat, pong } = await scene();
  await beat();
  await tell(hub, notify({ seq: 2, prev: null, type: 'session.invite', data: { role: 'respondent' } }));
  expect(await hub.heard()).toHaveLength(1);
  expect(await pong([], 0, 1)).toEqual([]);
  await beat();
  expect(await pong(['r1'], 0, 1)).toEqual([]);
  await beat();
  expect((await pong(['r1'], 0, 2)).map((text) => JSON.parse(text).kind)).toEqual(['hello']);
});

it('[CB10] repeats a hello that is still unanswered after a later ping', async () => {
  const { hub, read, beat, pong } = await scene();
  await tell(hub, notify({ seq: 1 }), notify({ seq: 3 }));
  const hello = (await hub.heard()).find((text) => text.includes('hello'));
  await beat();
  expect(hello).toBeDefined();
  expect((await pong([], 7)).map((text) => JSON.parse(text).kind)).toEqual(['hello']);
  await hub.welcome();
  await tell(hub, notify({ seq: 2 }), notify({ seq: 3 }));
  expect(read).toEqual(['text 1', 'text 2', 'text 3']);
});

it('[CB10] detects the lost welcome of a new identity', async () => {
  const hub = new ScriptedHub();
  const connecting = AgentClient.connect({ link: hub.link, name: 'alice', ids: countedIds() });
  await hub.heard();
  hub.say({ kind: 'error', error: { code: 'unauthenticated', message: 'unknown' } });
  await hub.answer('register', { agent_id: ME, name: 'alice' });
  expect(await hub.heard()).toEqual([HELLO]);
  await hub.welcome();
  expect((await connecting).agentId).toBe(ME);
});

it('[CB5] retries on another link when a hello on a live link is rejected for now', async () => {
  const { hub, client } = await scene();
  await tell(hub, notify({ seq: 1 }), notify({ seq: 3 }));
  hub.say({ kind: 'error', error: { code: 'unavailable', message: 'not now', details: { outcome: 'refused' } } });
  await hub.flush();
  expect([client.state, hub.linkClosed]).toEqual(['away', true]);
});

it('[CL30] detects that the first envelope of a stream was lost if the hub marks starts', async () => {
  const { hub, read } = await scene({}, MARKS);
  expect(await heardAfter(hub, notify({ seq: 7, prev: 5 }))).toEqual([HELLO]);
  hub.say(MARKS);
  await tell(hub, { ...notify({ seq: 5, prev: 3 }), starts: true }, notify({ seq: 7, prev: 5 }));
  expect(read).toEqual(['text 5', 'text 7']);
});

it('[CL30] asks at most five times', async () => {
  const { hub, read } = await scene({}, MARKS);
  for (let times = 0; times < 5; times++) {
    expect(await heardAfter(hub, notify({ seq: 7, prev: 5 }))).toEqual([HELLO]);
    hub.say(MARKS);
  }
  await tell(hub, notify({ seq: 7, prev: 5 }));
  expect(read).toEqual(['text 7']);
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
