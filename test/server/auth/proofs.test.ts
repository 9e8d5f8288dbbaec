// What credentials permit, and how the hub handles those it cannot judge.

import { expect, it } from 'vitest';
import type { Credential } from '../../../src/core/records/access/credentials.ts';
import { proving } from './credential-world.ts';

const REFUSED = { kind: 'error', error: { code: 'unauthenticated' } };

it('[AU3] a credential that had run out before the hello, whoever judged it, proves nothing', async () => {
  let expires_at_ms: number | null = null;
  const judge = (): Credential => ({ id: 'other', name: 'alice', grants: [], expires_at_ms });
  const { settle, settled, greeted, registered } = await proving({ judge });
  await registered('alice', '');
  expires_at_ms = 0;
  const late = greeted('alice', '');
  await settle();
  expect(late.frames).toMatchObject([REFUSED]);
  expect(await settled(late.ask('register', { name: 'bob' }))).toMatchObject({ error: { code: 'unauthenticated' } });
});

it('[AU2] a token for one name is for that name alone, also with the grant to enrol, until somebody is bound who has it', async () => {
  const { settled, made, greeted, registered } = await proving();
  const { token } = await made({ name: 'bob', grants: ['enrol'] });
  const other = greeted('eve', token);
  expect(await settled(other.ask('register', { name: 'eve' }))).toMatchObject({ error: { code: 'forbidden' } });
  const bob = await registered('bob', token);
  expect(await settled(bob.ask('register', { name: 'eve' }))).toMatchObject({ ok: true });
});

it('[AU2, OPR1] lets an agent with the enrol grant register others, whatever its token is for', async () => {
  const { hub, settled, made, registered } = await proving();
  const bob = await registered('bob', (await made({ name: 'bob' })).token);
  const register = () => bob.ask('register', { name: 'eve' });
  expect(await settled(register())).toMatchObject({ error: { code: 'forbidden' } });
  await settled(hub.grant('bob', ['enrol']));
  expect(await settled(register())).toMatchObject({ ok: true });
});

it('[AU1, L8] a judge that throws or rejects says no; that is logged, and the connection goes on', async () => {
  const troubles = [
    () => {
      throw new Error('broken');
    },
    () => Promise.reject(new Error('broken')),
  ];
  for (const judge of troubles) {
    const { warnings, settle, settled, greeted } = await proving({ judge });
    const alice = greeted('alice', '');
    await settle();
    expect(alice.frames).toMatchObject([REFUSED]);
    expect(warnings).toEqual(['a credential could not be judged']);
    expect(await settled(alice.ask('health', {}))).toMatchObject({ ok: true });
  }
});

it('[AU1, OP3] queues frames in order while a credential is checked, up to a bound', async () => {
  let answer = (_: Credential | null): void => {};
  const judge = () =>
    new Promise<Credential | null>((resolve) => {
      answer = resolve;
    });
  const { settle, settled, greeted } = await proving({ judge });
  const alice = greeted('alice', '');
  const register = alice.ask('register', { name: 'alice' });
  await settle();
  expect(alice.frames).toEqual([]);
  answer({ id: 'other', name: 'alice', grants: [], expires_at_ms: null });
  expect(await settled(register)).toMatchObject({ ok: true });
  const flood = greeted('bob', '');
  for (let n = 0; n < 65; n++) flood.send({ kind: 'ping' });
  await settle();
  expect([flood.frames, flood.closed]).toEqual([[{ kind: 'goodbye', reason: 'bad_frames' }], true]);
});

it('[AU15, AU1] nor more bytes than a frame may have', async () => {
  const { settle, greeted } = await proving({ judge: () => new Promise(() => {}) });
  const [patient, flood] = [greeted('alice', ''), greeted('bob', '')];
  const half = { kind: 'ping', padding: 'x'.repeat(512 * 1024) };
  for (const [peer, count] of [
    [patient, 1],
    [flood, 2],
  ] as const)
    for (let n = 0; n < count; n++) peer.send(half);
  await settle();
  expect([patient.closed, flood.closed]).toEqual([false, true]);
  expect(flood.frames).toEqual([{ kind: 'goodbye', reason: 'bad_frames' }]);
});

it('[AU1, OP3] handles frames queued behind a hello in order', async () => {
  let answer = (_: Credential | null): void => {};
  const judge = () =>
    new Promise<Credential | null>((resolve) => {
      answer = resolve;
    });
  const { settle, greeted } = await proving({ judge });
  const alice = greeted('alice', '');
  for (const id of ['1', '2', '3']) alice.send({ kind: 'ping', id });
  await settle();
  answer(null);
  await settle();
  expect(alice.frames).toMatchObject([REFUSED, { id: '1' }, { id: '2' }, { id: '3' }]);
});

it('[AU1] a hello that proves nothing leaves what the one before it proved', async () => {
  const { settle, settled, made, greeted } = await proving();
  const alice = greeted('alice', (await made({ name: 'alice' })).token);
  alice.send({ kind: 'hello', protocol: 1, name: 'alice', auth: { scheme: 'token', token: 'wrong' } });
  await settle();
  expect(alice.frames).toMatchObject([REFUSED, REFUSED]);
  expect(await settled(alice.ask('register', { name: 'alice' }))).toMatchObject({ ok: true });
});

it('[AU1, AU2] does not let an agent use the token of the agent that registered it', async () => {
  const { settle, settled, made, greeted, registered } = await proving();
  const { token } = await made({ name: 'bob', grants: ['enrol'] });
  const bob = await registered('bob', token);
  expect(await settled(bob.ask('register', { name: 'eve' }))).toMatchObject({ ok: true });
  const eve = greeted('eve', token);
  await settle();
  expect(eve.frames).toMatchObject([REFUSED]);
});

it('[PO8] disconnects an address that failed too often, after its rejection, but never a client that authenticates', async () => {
  const { settle, made, greeted } = await proving({ helloFailed: () => true });
  const eve = greeted('eve', 'wrong');
  const bob = greeted('bob', (await made({ name: 'bob' })).token);
  await settle();
  expect(eve.frames).toMatchObject([REFUSED, { kind: 'goodbye', reason: 'unauthorized' }]);
  expect(eve.closed).toBe(true);
  // Its name is not known yet, but it has proven something.
  expect([bob.frames.length, bob.closed]).toEqual([1, false]);
});

it('[AU4] following next gives every token once; there are at most a thousand', async () => {
  const { settled, made, registered, tokens } = await proving();
  const root = await registered('root', (await made({ name: 'root', grants: ['enrol'] })).token);
  for (let n = 0; n < 3; n++) await made({});
  const pages: string[][] = [];
  for (let after: string | undefined; ; ) {
    const page = await settled(root.call('list_tokens', { limit: 2, after }));
    pages.push(page.tokens.map(({ token_id }) => token_id));
    if (page.next === null) break;
    after = page.next;
  }
  expect(pages.map(({ length }) => length)).toEqual([2, 2]);
  expect(pages.flat()).toEqual([...new Set(pages.flat())].sort());
  const all = Promise.all(Array.from({ length: 996 }, () => tokens.create({}, null)));
  await settled(all);
  await expect(settled(tokens.create({}, null))).rejects.toMatchObject({ code: 'too_large' });
});
