import { createHub } from 'parley-hub';
import { AgentClient, HumanClient } from 'parley-hub/client';
import { expect, it } from 'vitest';
import { expectRefused } from '../../support/expect-refused.ts';
import { countedIds, HELLO, keptLog, ME, ScriptedHub, WELCOME } from '../scripted-hub.ts';
import { agent } from '../world.ts';

const UNKNOWN =
  '{"kind":"error","error":{"code":"unauthenticated","message":"unknown name","details":{"name":"alice"}}}';

function begun(options: { register?: boolean | object; credentials?: { scheme: string; token: string } } = {}) {
  const hub = new ScriptedHub();
  return { hub, connecting: AgentClient.connect({ link: hub.link, name: 'alice', ids: countedIds(), ...options }) };
}

/** The hub does not know the name. */
async function unknown(options: Parameters<typeof begun>[0] = {}) {
  const world = begun(options);
  await world.hub.heard();
  world.hub.say(UNKNOWN);
  return world;
}

it('[CL1] says hello and is bound by the welcome', async () => {
  const { hub, connecting } = begun();
  expect(await hub.heard()).toEqual([HELLO]);
  hub.say(WELCOME);
  const client = await connecting;
  expect([client.agentId, client.name, client.state]).toEqual([ME, 'alice', 'open']);
});

it('[CL1] registers an unknown name, which binds it', async () => {
  const { hub, connecting } = await unknown({ register: { model: 'm1' } });
  expect(await hub.heard()).toEqual([
    '{"kind":"request","request_id":"r1","op":"register","params":{"kind":"agent","model":"m1","name":"alice"}}',
  ]);
  hub.say(WELCOME);
  hub.say(`{"kind":"response","request_id":"r1","ok":true,"result":{"agent_id":"${ME}","name":"alice"}}`);
  expect((await connecting).agentId).toBe(ME);
});

it('[CL1] registers a person as one', async () => {
  const hub = new ScriptedHub();
  const connecting = HumanClient.connect({ link: hub.link, name: 'alice', ids: countedIds() });
  await hub.heard();
  hub.say(UNKNOWN);
  await hub.welcome();
  expect(await hub.answer('register', { agent_id: ME })).toEqual({ kind: 'human', name: 'alice' });
  await connecting;
});

it('[CL1] says hello once more if the name was registered meanwhile, then gives up', async () => {
  const { hub, connecting } = await unknown();
  await hub.refuse('register', { code: 'conflict', message: 'taken' });
  expect(await hub.heard()).toEqual([HELLO]);
  hub.say(UNKNOWN);
  await expect(connecting).rejects.toMatchObject({
    name: 'WireError',
    code: 'unauthenticated',
    message: 'taken (and hello was refused)',
    cause: { message: 'unknown name' },
  });
  expect(await hub.heard()).toEqual([]);
  expect(hub.linkClosed).toBe(true);
});

it('[CL1] reports why a second hello failed for another reason', async () => {
  const { hub, connecting } = await unknown();
  await hub.refuse('register', { code: 'conflict', message: 'taken' });
  await hub.heard();
  hub.close();
  await expect(connecting).rejects.toMatchObject({ code: 'unavailable' });
});

it('[CL1] passes on the rejection when registering is off', async () => {
  const { hub, connecting } = begun({ register: false, credentials: { scheme: 'token', token: 't' } });
  expect(await hub.heard()).toEqual([
    '{"kind":"hello","protocol":1,"name":"alice","auth":{"scheme":"token","token":"t"}}',
  ]);
  hub.say(UNKNOWN);
  await expect(connecting).rejects.toMatchObject({ code: 'unauthenticated', message: 'unknown name' });
});

it('[CL1] passes on a rejected registration', async () => {
  const { hub, connecting } = await unknown();
  const rejected = expectRefused(connecting, 'forbidden');
  await hub.refuse('register', { code: 'forbidden', message: 'enrolment is closed' });
  await rejected;
  expect(await hub.heard()).toEqual([]);
});

it('[CL3] rejects the connect when the link closes before the welcome', async () => {
  const { hub, connecting } = begun();
  hub.close();
  await expect(connecting).rejects.toMatchObject({ code: 'unavailable', details: { outcome: 'unknown' } });
});

it('[CL23] ends on a goodbye and says whether to reconnect', async () => {
  const replaced = await agent();
  replaced.hub.say(`{"kind":"goodbye","reason":"replaced","recipient_id":"${ME}"}`);
  expect(await replaced.client.closed).toEqual({ by: 'hub', reason: 'replaced', final: true, retry_after_ms: null });
  await replaced.hub.flush();
  expect([replaced.client.state, replaced.hub.linkClosed]).toEqual(['closed', true]);

  const stopped = await agent();
  stopped.hub.say('{"kind":"goodbye","reason":"shutdown","retry_after_ms":500}');
  expect(await stopped.client.closed).toEqual({ by: 'hub', reason: 'shutdown', final: false, retry_after_ms: 500 });
});

it('[CL23] ignores a goodbye to another identity on the link', async () => {
  const { hub, client } = await agent();
  hub.say('{"kind":"goodbye","reason":"replaced","recipient_id":"id-carol"}');
  await hub.flush();
  expect(client.state).toBe('open');
});

it('[CL23] closes after unregistering, even if the goodbye overtakes the answer', async () => {
  const { hub, client } = await agent();
  const gone = client.unregister();
  await hub.request('unregister');
  hub.say(`{"kind":"goodbye","reason":"unregistered","recipient_id":"${ME}"}`);
  await gone;
  expect(client.state).toBe('closed');

  const other = await agent();
  const refused = other.client.unregister();
  await other.hub.refuse('unregister', { code: 'forbidden', message: 'no' });
  await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
  expect(other.client.state).toBe('open');
});

it('[CL25] answers a ping and ignores unknown frames', async () => {
  const { hub, client } = await agent();
  hub.say('{"kind":"ping"}', 'no json', '[]', '{"kind":"hologram"}', '{"kind":"pong"}');
  hub.say('{"kind":"error","error":{"code":"bad_frame","message":"?"}}');
  hub.say('{"kind":"response","request_id":"r99","ok":true,"result":{}}');
  expect(await hub.heard()).toEqual(['{"kind":"pong"}']);
  expect(client.state).toBe('open');
});

it('[CL25] registers a new name without a warning', async () => {
  const log = keptLog();
  const hub = await createHub();
  const bob = await hub.agent('bob', { log });
  expect([bob.state, log.lines]).toEqual(['open', []]);
  await hub.stop();
});

it('[CL25] logs an error that answers no hello and settles nothing', async () => {
  const log = keptLog();
  const { hub, client } = await agent({ log });
  const asking = client.call('health', {});
  hub.say('{"kind":"error","error":{"code":"bad_frame","message":"frame.seq: no such receipt"}}');
  await hub.flush();
  expect(log.lines).toEqual(['the hub refused a frame {"code":"bad_frame","error":"frame.seq: no such receipt"}']);
  await hub.answer('health', { ready: true });
  expect([await asking, client.state]).toEqual([{ ready: true }, 'open']);
});
