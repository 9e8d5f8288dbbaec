// Bad peers in a separate process, beside two clients that work undisturbed.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type AgentClient, connect, type LocalHub, type ServeOptions } from 'parley-hub';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { itDeep } from '../../support/size.ts';
import { openHub } from '../../support/started-hub.ts';
import type { Attack, Counts } from './attacker.ts';

let attacker: ChildProcess;
beforeAll(async () => {
  attacker = fork(new URL('./attacker.ts', import.meta.url), {
    execArgv: ['--conditions=parley-source', '--import', 'tsx'],
  });
  await once(attacker, 'message');
});
afterAll(() => attacker.kill('SIGKILL'));

interface Neighbours {
  readonly hub: LocalHub;
  readonly url: string;
  /** They say so many things to each other, each heard before the next is said. */
  talk(times: number): Promise<void>;
  join(name: string, options?: object): Promise<AgentClient>;
}

async function neighbours(limits: ServeOptions['limits'] = {}): Promise<Neighbours> {
  const { hub, url } = await openHub({ limits });
  const join = async (name: string, options: object = {}): Promise<AgentClient> => {
    const client = await connect(url, { name, ...options });
    onTestFinished(() => client.close());
    return client;
  };
  await join('erin', {
    onMessage: (message: { text: string; reply(text: string): unknown }) => message.reply(`${message.text}!`),
  });
  const dave = await join('dave');
  const session = await dave.open('conversation', ['erin']);
  let said = 0;
  return {
    hub,
    url,
    join,
    async talk(times) {
      for (let n = 0; n < times; n++) {
        said += 1;
        const text = `${said}`;
        const answered = session.waitFor(({ event_data }) => event_data.text === `${text}!`);
        await session.send(text);
        await answered;
      }
    },
  };
}

/** Begins an attack; settles when the first `seen` of it was, and gives what ends it and counts. */
async function attacked(kind: Attack['kind'], url: string, seen: string): Promise<() => Promise<Counts>> {
  const begun = told<{ readonly seen?: string }>((message) => message.seen === seen);
  attacker.send({ kind, url } satisfies Attack);
  await begun;
  return async () => {
    const ended = told<{ readonly counts?: Counts }>(({ counts }) => counts !== undefined);
    attacker.send('stop');
    return (await ended).counts ?? {};
  };
}

function told<Message>(isIt: (message: Message) => boolean): Promise<Message> {
  return new Promise((resolve) => {
    const hear = (message: unknown): void => {
      // The attacker's own words.
      if (!isIt(message as Message)) return;
      attacker.off('message', hear);
      resolve(message as Message);
    };
    attacker.on('message', hear);
  });
}

/** Of all who came, only the two are left. */
async function onlyNeighboursLeft({ hub }: Neighbours): Promise<void> {
  await expect.poll(() => hub.health().connections, { timeout: 10_000 }).toBe(2);
}

it('[BP6, BP7, L8] beside one who asks without waiting for answers, of whom so much is taken at a time', async () => {
  const world = await neighbours();
  const stop = await attacked('requests', world.url, 'answered');
  await world.talk(30);
  const counts = await stop();
  expect(counts.answered).toBeGreaterThan(100);
  await onlyNeighboursLeft(world);
});

it('[BP6, OP7, L8] beside one who sends what is no frame, is sent away for it, and comes again', async () => {
  const world = await neighbours();
  const stop = await attacked('malformed', world.url, 'bad_frames');
  await world.talk(30);
  const counts = await stop();
  expect(counts.bad_frames).toBeGreaterThanOrEqual(1);
  await onlyNeighboursLeft(world);
});

it('[BP6, PO4, L8] beside one who sends what is too large, again and again', async () => {
  const world = await neighbours();
  const stop = await attacked('oversize', world.url, 'closed 1009');
  await world.talk(30);
  expect((await stop())['closed 1009']).toBeGreaterThanOrEqual(1);
  await onlyNeighboursLeft(world);
});

it('[BP6, PO5, L8] beside a hundred who send their requests drop by drop, and are cut off for it', async () => {
  const world = await neighbours({ handshakeMs: 200 });
  const stop = await attacked('drops', world.url, 'cut off');
  await world.talk(30);
  expect((await stop())['cut off']).toBeGreaterThanOrEqual(1);
  await onlyNeighboursLeft(world);
});

itDeep(
  '[BP6, PO8, L8] beside three thousand who connect and say nothing: so many are let in, and no more',
  async () => {
    const world = await neighbours({ maxPending: 50, handshakeMs: 60_000 });
    const stop = await attacked('connects', world.url, 'all tried');
    expect(world.hub.health().connections).toBe(52);
    await world.talk(30);
    // Rejects other clients with a retry time.
    await expect(world.join('late', { reconnect: false })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('503'),
    });
    expect(await stop()).toEqual({ 'let in': 50, refused: 2950, 'all tried': 1 });
    await onlyNeighboursLeft(world);
    await world.join('late');
  },
);

it('[BP6, BP3, L5] beside two clients that take one name from each other, and keeps messages to that name', async () => {
  const world = await neighbours();
  const prize = await world.join('prize');
  const teller = await world.join('teller');
  const session = await teller.open('conversation', ['prize']);
  const stop = await attacked('takeovers', world.url, 'replaced');
  expect(await prize.closed).toMatchObject({ by: 'hub', reason: 'replaced', final: true });
  for (let n = 0; n < 30; n++) {
    await session.send(`${n}`);
    await world.talk(1);
  }
  expect((await stop()).replaced).toBeGreaterThanOrEqual(2);
  const back = await world.join('prize');
  const heard: string[] = [];
  for await (const { text } of back.session(session.id)) {
    heard.push(text);
    if (heard.length === 30) break;
  }
  expect(heard).toEqual(Array.from({ length: 30 }, (_, n) => `${n}`));
});
