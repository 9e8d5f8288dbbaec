// Credentials that expire or are revoked, at every moment that could be overlooked.

import { expect, it } from 'vitest';
import { quiet } from '../../../src/testing/doubles/world.ts';
import { proving } from './credential-world.ts';

const REFUSED = { ok: false, error: { code: 'unauthenticated' } };

it('[AU3] rejects the next request of an expired credential, before any timer fires, with the reason', async () => {
  const { clock, tokens, settle, made, registered } = await proving();
  const { token } = await made({ name: 'alice', ttl: 60 });
  const alice = await registered('alice', token);
  clock.advance(59_999);
  const early = alice.ask('list_agents', {});
  await settle();
  expect(await early).toMatchObject({ ok: true });
  // The wall clock is set: no timer knows of it.
  clock.jump(1);
  const late = alice.ask('list_agents', {});
  await settle();
  expect(await late).toMatchObject(REFUSED);
  expect(tokens.judge(token)).toBe(null);
  expect(alice.frames.at(-1)).toEqual({ kind: 'goodbye', reason: 'unauthorized', recipient_id: alice.agentId });
});

it('[AU3] ends the binding of an idle agent when its credential expires', async () => {
  const { hub, clock, settle, made, registered } = await proving();
  const { token } = await made({ name: 'alice', ttl: 60 });
  const alice = await registered('alice', token);
  hub.sweep();
  expect(hub.health().bound).toBe(1);
  clock.jump(60_000);
  hub.sweep();
  await settle();
  expect(hub.health().bound).toBe(0);
  expect(alice.frames.at(-1)).toMatchObject({ kind: 'goodbye', reason: 'unauthorized' });
});

it('[AU3, AU2] a credential that was revoked or expired since the hello registers nobody', async () => {
  const { hub, clock, tokens, settle, made, greeted } = await proving();
  const revoked = await made({ grants: ['enrol'] });
  const expired = await made({ grants: ['enrol'], ttl: 60 });
  const [first, second] = [greeted('eve', revoked.token), greeted('eve', expired.token)];
  await settle();
  void tokens.revoke(revoked.token_id);
  await settle();
  clock.advance(60_000);
  const answers = [first.ask('register', { name: 'eve' }), second.ask('register', { name: 'eve' })];
  await settle();
  for (const answer of answers) expect(await answer).toMatchObject(REFUSED);
  expect(hub.health().bound).toBe(0);
});

it('[AU3, AR2] nor what was revoked while the arbiter was asked', async () => {
  let answer = (_: boolean): void => {};
  const asked = new Promise<boolean>((resolve) => {
    answer = resolve;
  });
  const { store, tokens, settle, made, greeted } = await proving({ arbiter: { authorizeRegister: () => asked } });
  const { token, token_id } = await made({ grants: ['enrol'] });
  const register = greeted('eve', token).ask('register', { name: 'eve' });
  await settle();
  void tokens.revoke(token_id);
  await settle();
  answer(true);
  await settle();
  expect(await register).toMatchObject(REFUSED);
  expect(store.durableEntries('hub')).toEqual([]);
});

it('[AU3, L1] does not bind an agent whose token is revoked during registration', async () => {
  const { hub, store, tokens, settle, made, greeted } = await proving();
  const { token, token_id } = await made({ grants: ['enrol'] });
  const eve = greeted('eve', token);
  await settle();
  // Both are written in one flush, the revocation first.
  void tokens.revoke(token_id);
  const register = eve.ask('register', { name: 'eve' });
  await quiet();
  expect(store.stagedUnits()).toBe(2);
  await settle();
  expect(await register).toMatchObject(REFUSED);
  expect(hub.health().bound).toBe(0);
});

it('[AU3] the moment it runs out ends the binding, of each in its time, without anybody looking', async () => {
  const { hub, clock, settle, made, registered } = await proving();
  const tokens = [
    await made({ name: 'late', ttl: 60 }),
    await made({ name: 'early', ttl: 30 }),
    await made({ name: 'ever' }),
  ];
  const names = ['late', 'early', 'ever'];
  const [late, early] = await Promise.all(names.map((name, n) => registered(name, tokens[n]?.token ?? '')));
  clock.advance(29_999);
  expect(hub.health().bound).toBe(3);
  clock.advance(1);
  await settle();
  expect(hub.health().bound).toBe(2);
  expect(early?.frames.at(-1)).toMatchObject({ kind: 'goodbye', reason: 'unauthorized' });
  clock.advance(29_999);
  expect(hub.health().bound).toBe(2);
  clock.advance(1);
  await settle();
  expect(hub.health().bound).toBe(1);
  expect(late?.frames.at(-1)).toMatchObject({ kind: 'goodbye', reason: 'unauthorized' });
});

it('[AU14] answers earlier requests of a revoked credential without results; a new credential works', async () => {
  const { store, tokens, settle, settled, made, registered } = await proving();
  const [first, second] = [await made({ name: 'alice' }), await made({ name: 'alice' })];
  const alice = await registered('alice', first.token);
  // All are written in one flush, the revocation first.
  void tokens.revoke(first.token_id);
  const asked = [
    alice.ask('set_rule', { rule: { access: { inbound_from: ['bob'] } } }),
    alice.ask('set_rule', { rule: { access: { inbound_from: [] } } }, { deadline_ms: 1000 }),
  ];
  await quiet();
  expect(store.stagedUnits()).toBe(3);
  await settle();
  for (const answer of asked) expect(await answer).toMatchObject(REFUSED);
  alice.send({ kind: 'hello', protocol: 1, name: 'alice', auth: { scheme: 'token', token: second.token } });
  // It took effect.
  const { rule } = await settled(alice.call('get_rule', {}));
  expect(rule.access.inbound_from).toEqual([]);
});

it('[AU14] the same for requests sent before another hello on the same connection', async () => {
  const { store, tokens, settle, made, registered } = await proving();
  const { token, token_id } = await made({ name: 'alice' });
  const alice = await registered('alice', token);
  void tokens.revoke(token_id);
  const asked = alice.ask('set_rule', { rule: { access: { inbound_from: ['bob'] } } });
  await quiet();
  alice.send({ kind: 'hello', protocol: 1, name: 'alice', auth: { scheme: 'token', token } });
  await quiet();
  expect(store.stagedUnits()).toBe(2);
  await settle();
  expect(await asked).toMatchObject(REFUSED);
});
