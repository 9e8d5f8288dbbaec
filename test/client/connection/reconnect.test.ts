// A lost link: the client reconnects, resumes, and repeats safe requests.

import { AgentClient, type AgentOptions } from 'parley-hub/client';
import type { Link } from 'parley-hub/core';
import { SimClock } from 'parley-hub/testing';
import { expect, it } from 'vitest';
import { countedIds, notify, S1, ScriptedHub } from '../scripted-hub.ts';
import { tell } from '../world.ts';

interface Scene {
  readonly clock: SimClock;
  readonly client: AgentClient;
  readonly hubs: ScriptedHub[];
  readonly states: string[];
}

async function scene(options: Partial<AgentOptions> = {}, refusals = 0): Promise<Scene> {
  const clock = new SimClock();
  const hubs: ScriptedHub[] = [];
  const states: string[] = [];
  let toRefuse = 0;
  const link = (): Link => {
    if (toRefuse > 0) {
      toRefuse -= 1;
      throw new Error('no way');
    }
    const hub = new ScriptedHub();
    hubs.push(hub);
    return hub.link();
  };
  const reconnect = { clock, random: () => 1, minMs: 100, maxMs: 1000, quietMs: 20_000 };
  const onState = (state: string): void => void states.push(state);
  const connecting = AgentClient.connect({ link, name: 'alice', ids: countedIds(), reconnect, onState, ...options });
  await hubs[0]?.heard();
  await hubs[0]?.welcome();
  const client = await connecting;
  toRefuse = refusals;
  return { clock, client, hubs, states };
}

async function lose({ hubs, clock }: Scene, ms = 100): Promise<ScriptedHub> {
  const before = hubs.length;
  hubs.at(-1)?.close();
  await hubs.at(-1)?.flush();
  clock.advance(ms);
  const hub = hubs[before];
  if (hub === undefined) throw new Error(`no new link after ${ms} ms`);
  return hub;
}

it('[CB1] replaces a lost link after a pause and sends resume points in hello', async () => {
  const world = await scene({ onMessage: () => {} });
  const [first] = world.hubs;
  if (first === undefined) throw new Error('no hub');
  await tell(first, notify({ seq: 3, prev: 0 }));
  await first.flush();
  expect(world.client.state).toBe('open');
  const hub = await lose(world);
  expect(world.client.state).toBe('away');
  const [hello] = (await hub.heard()).map((text) => JSON.parse(text));
  expect(hello).toMatchObject({ kind: 'hello', name: 'alice', resume: { [S1]: { seq: 3, epoch: 1 } } });
  await hub.welcome();
  expect(world.client.state).toBe('open');
  expect(world.states).toEqual(['away', 'open']);
});

it('[CB2] grows the pauses up to a limit while no link lasts, with random spread', async () => {
  const world = await scene({}, 3);
  world.hubs[0]?.close();
  await world.hubs[0]?.flush();
  // random() is 1, so each pause is maximal: 100, 200, 400, 800.
  for (const ms of [100, 200, 400]) world.clock.advance(ms);
  world.clock.advance(799);
  expect(world.hubs).toHaveLength(1);
  world.clock.advance(1);
  expect(world.hubs).toHaveLength(2);
});

it('[CB2] shortens the next pause after a link that lasted, lengthens it otherwise', async () => {
  const world = await scene();
  await lose(world, 100);
  world.clock.advance(5000);
  await expect(lose(world, 199)).rejects.toThrow('no new link');
  world.clock.advance(1);
  expect(world.hubs).toHaveLength(3);
  world.clock.advance(5001);
  await lose(world, 100);
});

it('[CB3] resends unanswered safe requests in order, before new ones', async () => {
  const world = await scene();
  const { client, hubs } = world;
  const session = client.session(S1);
  const first = session.send('one', { key: 'k1' });
  const second = client.call('list_agents', {});
  await hubs[0]?.heard();
  hubs[0]?.close();
  await hubs[0]?.flush();
  const third = session.send('two', { key: 'k2' });
  world.clock.advance(100);
  const hub = hubs[1] as ScriptedHub;
  await hub.heard();
  await hub.welcome();
  const asked = (await hub.heard()).map((text) => JSON.parse(text));
  expect(asked.map(({ op, params }) => [op, params.idempotency_key])).toEqual([
    ['post', 'k1'],
    ['list_agents', undefined],
    ['post', 'k2'],
  ]);
  hub.say(...asked.map(({ request_id, op }) => ({ kind: 'response', request_id, ok: true, result: answerTo(op) })));
  await hub.flush();
  expect(await Promise.all([first, second, third])).toHaveLength(3);
});

function answerTo(op: string): object {
  return op === 'list_agents' ? { agents: [], next: null } : { envelope_id: 'e', seq: 1, created_at: 't', turn: null };
}

it('[CB4] rejects unsafe requests with an unknown outcome', async () => {
  const world = await scene();
  const asked = world.client.setSkill('x');
  const refused = expect(asked).rejects.toMatchObject({ code: 'unavailable', details: { outcome: 'unknown' } });
  await world.hubs[0]?.heard();
  const hub = await lose(world);
  await refused;
  await hub.heard();
  await hub.welcome();
  expect(await hub.heard()).toEqual([]);
});

it('[CB5] does not return after a permanent rejection or a final goodbye', async () => {
  const world = await scene();
  const hub = await lose(world);
  await hub.heard();
  hub.say({ kind: 'error', error: { code: 'unauthenticated', message: 'no' } });
  await hub.flush();
  expect(await world.client.closed).toMatchObject({ by: 'refusal', error: { code: 'unauthenticated' } });
  const other = await scene();
  other.hubs[0]?.say({ kind: 'goodbye', reason: 'replaced' });
  await other.hubs[0]?.flush();
  other.clock.advance(60_000);
  expect(await other.client.closed).toMatchObject({ by: 'hub', reason: 'replaced', final: true });
  expect(other.hubs).toHaveLength(1);
});

it('[CB5] says hello again after a goodbye that is not final, no sooner than the hub allows', async () => {
  const world = await scene();
  world.hubs[0]?.say({ kind: 'goodbye', reason: 'shutdown', retry_after_ms: 3000 });
  await world.hubs[0]?.flush();
  world.clock.advance(2999);
  expect(world.hubs).toHaveLength(1);
  world.clock.advance(1);
  expect(world.hubs).toHaveLength(2);
  expect(await world.hubs[1]?.heard()).toHaveLength(1);
});

it('[CB5, AU12] retries when the hub cannot authenticate right now, no sooner than it allows', async () => {
  const world = await scene();
  const hub = await lose(world);
  await hub.heard();
  const details = { outcome: 'refused', retry_after_ms: 3000 };
  hub.say({ kind: 'error', error: { code: 'unavailable', message: 'not now', details } });
  await hub.flush();
  world.clock.advance(2999);
  expect([world.hubs.length, world.client.state]).toEqual([2, 'away']);
  world.clock.advance(1);
  expect(await world.hubs[2]?.heard()).toHaveLength(1);
  await world.hubs[2]?.welcome();
  expect(world.client.state).toBe('open');
});

it('[CB6] pings a silent hub and drops the link if it stays silent', async () => {
  const world = await scene();
  world.clock.advance(20_000);
  expect(await world.hubs[0]?.heard()).toEqual(['{"kind":"ping","id":"p1"}']);
  world.hubs[0]?.say({ kind: 'pong' });
  await world.hubs[0]?.flush();
  world.clock.advance(20_000);
  expect(world.client.state).toBe('open');
  world.clock.advance(20_000);
  expect(world.client.state).toBe('away');
  world.clock.advance(100);
  expect(world.hubs).toHaveLength(2);
});

it('[CB7] ends with its link if reconnecting is off; closing while away ends it immediately', async () => {
  const plain = await scene({ reconnect: undefined });
  plain.hubs[0]?.close();
  expect(await plain.client.closed).toEqual({ by: 'link' });
  const world = await scene();
  world.hubs[0]?.close();
  await world.hubs[0]?.flush();
  world.client.close();
  world.clock.advance(60_000);
  expect(world.hubs).toHaveLength(1);
  expect(await world.client.closed).toEqual({ by: 'caller' });
});
