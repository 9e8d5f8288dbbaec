// Peers that do not read, do not answer, take over, or come by the hundred: each hurts itself alone, and nobody loses anything.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type AgentClient, connect, type HubServer, type LocalHub } from 'parley-hub';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { itDeep } from '../../support/size.ts';
import { openHub } from '../../support/started-hub.ts';

async function joined(port: HubServer, name: string, options: object = {}): Promise<AgentClient> {
  const client = await connect(port.url, { name, reconnect: { minMs: 20, maxMs: 200 }, ...options });
  onTestFinished(() => client.close());
  return client;
}

async function audited(hub: LocalHub, name: string): Promise<unknown[]> {
  const entries = await hub.audit({ limit: 500 });
  return entries
    .filter(({ kind, detail }) => kind === 'agent_unbound' && detail.name === name)
    .map(({ detail }) => detail.reason);
}

/** A connection that was bound and then reads nothing more. */
async function deaf(port: HubServer, name: string): Promise<WebSocket> {
  const socket = new WebSocket(port.url);
  await once(socket, 'open');
  socket.send(JSON.stringify({ kind: 'hello', protocol: 1, name, auth: { scheme: 'none' } }));
  await once(socket, 'message');
  const tcp = (socket as unknown as { readonly _socket: Socket })._socket;
  tcp.pause();
  onTestFinished(() => socket.terminate());
  return socket;
}

itDeep('[BP1, L8] disconnects a slow consumer without delaying others or losing messages', async () => {
  const limits = { maxUnsentBytes: 64 * 1024, maxHeldBytes: 64 * 1024 * 1024, slowConsumerMs: 1, maxPending: 10_000 };
  const { hub, port } = await openHub({}, { limits });
  const [alice, bob, dave] = [await joined(port, 'alice'), await joined(port, 'bob'), await joined(port, 'dave')];
  const erin = await joined(port, 'erin', {
    onMessage: (message: { reply(text: string): unknown }) => message.reply('yes'),
  });
  const session = await alice.open('conversation', ['bob']);
  bob.close();
  const socket = await deaf(port, 'bob');
  const frames: string[] = [];
  socket.on('message', (data) => frames.push(String(data)));
  const gone = new Promise<string>((resolve) =>
    hub.on('agentUnbound', ({ name, reason }) => void (name === 'bob' && reason !== 'left' && resolve(reason))),
  );
  const text = 'x'.repeat(100_000);
  const sent = Array.from({ length: 200 }, (_, n) => session.send(`${n} ${text}`));
  const other = await dave.open('consulting', ['erin']);
  await other.send('are you there?');
  expect((await other.waitFor('msg.text')).event_data.text).toBe('yes');
  expect(erin.state).toBe('open');
  await Promise.all(sent);
  expect(await gone).toBe('slow_consumer');
  // It reads again before it is cut: the unread frames come first, then the reason.
  const closed = once(socket, 'close');
  socket.resume();
  (socket as unknown as { readonly _socket: Socket })._socket.resume();
  await closed;
  expect(JSON.parse(frames.at(-1) ?? '')).toEqual({ kind: 'goodbye', reason: 'slow_consumer' });
  expect(await audited(hub, 'bob')).toContain('slow_consumer');
  const heard: number[] = [];
  const back = await joined(port, 'bob');
  for await (const message of back.session(session.id)) {
    heard.push(Number(message.text.split(' ')[0]));
    if (heard.length === 200) break;
  }
  expect(heard).toEqual(Array.from({ length: 200 }, (_, n) => n));
});

it('[BP2, L8] a process that was stopped is noticed, others go on, and it has everything when it goes on', async () => {
  const { hub, port } = await openHub({ limits: { pingMs: 100, silentMs: 400 } });
  const child = fork(new URL('./listening-child.ts', import.meta.url), [port.url, 'bob'], {
    execArgv: ['--conditions=parley-source', '--import', 'tsx'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect((await once(child, 'message'))[0]).toBe('ready');
  const heard: string[] = [];
  const all = new Promise<void>((resolve) =>
    child.on('message', (text) => {
      heard.push(String(text));
      if (heard.length === 20) resolve();
    }),
  );
  const alice = await joined(port, 'alice');
  const session = await alice.open('conversation', ['bob']);
  for (let n = 0; n < 10; n++) await session.send(`before ${n}`);
  const gone = new Promise((resolve) => hub.on('agentUnbound', ({ name }) => void (name === 'bob' && resolve(name))));
  child.kill('SIGSTOP');
  for (let n = 0; n < 10; n++) await session.send(`after ${n}`);
  await joined(port, 'carol', { onMessage: (message: { reply(text: string): unknown }) => message.reply('yes') });
  const other = await alice.open('consulting', ['carol']);
  await other.send('are you there?');
  expect((await other.waitFor('msg.text')).event_data.text).toBe('yes');
  expect(await gone).toBe('bob');
  child.kill('SIGCONT');
  await all;
  const told = (when: string) => Array.from({ length: 10 }, (_, n) => `${when} ${n}`);
  expect(heard).toEqual([...told('before'), ...told('after')]);
});

it('[BP3, L7] ends a fight for one name with the newer connection; the older is notified and does not reconnect', async () => {
  const { port } = await openHub();
  const clients: AgentClient[] = [];
  for (let n = 0; n < 20; n++) clients.push(await joined(port, 'alice'));
  const ends = await Promise.all(clients.slice(0, -1).map((client) => client.closed));
  expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(
    new Set([JSON.stringify({ by: 'hub', reason: 'replaced', final: true, retry_after_ms: null })]),
  );
  expect(clients.at(-1)?.state).toBe('open');
});

itDeep('[BP4, L5] three hundred that lose their hub at once all come back, and nobody loses anything', async () => {
  const { hub, port } = await openHub();
  const count = 300;
  const heard = new Map<string, string[]>();
  const listeners = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const name = `agent-${n}`;
      const texts: string[] = [];
      heard.set(name, texts);
      return joined(port, name, { onMessage: (message: { text: string }) => void texts.push(message.text) });
    }),
  );
  const teller = await joined(port, 'teller');
  const sessions = await Promise.all(listeners.map(({ name }) => teller.open('conversation', [name])));
  const say = (what: string) => Promise.all(sessions.map((session) => session.send(what)));
  await say('one');
  await port.close(0);
  const said = say('two');
  const again = await hub.listen({ port: port.port, auth: { none: true } });
  await said;
  await say('three');
  await expect
    .poll(() => [...heard.values()].filter((texts) => texts.length === 3).length, { timeout: 20_000 })
    .toBe(count);
  for (const texts of heard.values()) expect(texts).toEqual(['one', 'two', 'three']);
  expect(again.port).toBe(port.port);
});
