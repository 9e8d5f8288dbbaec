// Answers to rejected credentials, and to those that cannot be checked now.

import { createServer } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { connect } from 'parley-hub';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { WireError } from '../../../src/core/lib/errors.ts';
import type { Credential } from '../../../src/core/records/access/credentials.ts';
import { openHub, startedHub } from '../../support/started-hub.ts';
import { proving } from './credential-world.ts';

const NOT_ACCEPTED = {
  code: 'unauthenticated',
  message: '"bob" cannot be registered: the credential was not accepted',
};
const UNAVAILABLE = { code: 'unavailable', details: { outcome: 'refused', retry_after_ms: 5000, name: 'alice' } };
const once = { reconnect: false } as const;

it('[AU11] tells a client with a wrong, revoked or expired token or a bad JWT that the credential was not accepted', async () => {
  const { publicKey } = await generateKeyPair('ES256');
  const jwks = { keys: [await exportJWK(publicKey)] };
  const { hub, url } = await startedHub({ auth: { jwt: { issuer: 'https://i.example', audience: 'hub', jwks } } });
  const revoked = await hub.createToken({ grants: ['enrol'] });
  await hub.revokeToken(revoked.token_id);
  for (const token of ['x', revoked.token]) {
    await expect(connect(url, { name: 'bob', token, ...once })).rejects.toMatchObject(NOT_ACCEPTED);
  }
  const credentials = { scheme: 'jwt', token: 'a.b.c' };
  await expect(connect(url, { name: 'bob', credentials, ...once })).rejects.toMatchObject(NOT_ACCEPTED);
});

it('[AU11] answers an expired token the same way; asks a silent client for a hello', async () => {
  const judge = (): Credential => ({ id: 'other', name: 'bob', grants: [], expires_at_ms: 0 });
  const { settled, greeted } = await proving({ judge });
  const bob = greeted('bob', '');
  expect(await settled(bob.ask('register', { name: 'bob' }))).toMatchObject({ error: NOT_ACCEPTED });
  const { url } = await startedHub();
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ kind: 'request', request_id: '1', op: 'register', params: { name: 'bob' } }));
  const answer = await new Promise((resolve) => socket.once('message', (data) => resolve(JSON.parse(String(data)))));
  expect(answer).toMatchObject({ error: { message: '"bob" cannot be registered: say hello with a credential first' } });
  socket.close();
});

it('[AU7, AU11] tells a client without a credential that one is required, also behind a proxy', async () => {
  const message = /^"bob" cannot be registered: a credential is required; the scheme "none" .* never through a proxy$/;
  const { url } = await startedHub();
  await expect(connect(url, { name: 'bob', ...once })).rejects.toMatchObject({
    message: expect.stringMatching(message),
  });
  const open = await openHub();
  const socket = new WebSocket(open.url, { headers: { 'x-forwarded-for': '10.0.0.1' } });
  const frames: { error?: { message: string } }[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ kind: 'hello', protocol: 1, name: 'bob', auth: { scheme: 'none' } }));
  socket.send(JSON.stringify({ kind: 'request', request_id: '1', op: 'register', params: { name: 'bob' } }));
  while (frames.length < 2) await new Promise((resolve) => socket.once('message', resolve));
  expect(frames[1]?.error?.message).toMatch(message);
  socket.close();
});

it('[AU11] a scheme there is none of is named, with those there are', async () => {
  const { settled, greeted } = await proving({ judge: () => null });
  const bob = greeted('bob', '');
  bob.send({ kind: 'hello', protocol: 1, name: 'bob', auth: { scheme: 'basic' } });
  expect(await settled(bob.ask('register', { name: 'bob' }))).toMatchObject({
    error: {
      code: 'unauthenticated',
      message: expect.stringContaining('expected one of token, jwt, none, got "basic"'),
    },
  });
  const { url } = await startedHub();
  await expect(connect(url, { name: 'bob', credentials: { scheme: 'basic' } })).rejects.toMatchObject({
    code: 'bad_frame',
    message: 'credentials.scheme: expected one of token, jwt, none, got "basic"',
  });
  // A secret in the wrong place is not shown.
  await expect(
    connect(url, { name: 'bob', credentials: { scheme: 'parley_0123456789abcdef_secret' } }),
  ).rejects.toThrow('got something else');
});

it('[AU12] answers unavailable with a retry time when keys cannot be loaded, and warns in the log', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const jwks = `https://127.0.0.1:${port}/keys`;
  const heard: unknown[] = [];
  const log = { info() {}, warn: (_: string, data?: object) => void heard.push(data), error() {} };
  const auth = { jwt: { issuer: 'https://i.example', audience: 'hub', jwks } };
  const { url } = await startedHub({ auth }, { log });
  const { privateKey } = await generateKeyPair('ES256');
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256' })
    .setSubject('alice')
    .setIssuer('https://i.example')
    .setAudience('hub')
    .setExpirationTime('1h')
    .sign(privateKey);
  const credentials = { scheme: 'jwt', token };
  await expect(connect(url, { name: 'alice', credentials })).rejects.toMatchObject(UNAVAILABLE);
  expect(heard).toEqual([
    {
      name: 'alice',
      error: expect.stringMatching(/cannot load the keys at https:\/\/127\.0\.0\.1:\d+\/keys: .*ECONNREFUSED/),
    },
  ]);
});

it('[AU12, PO8] does not count a credential that cannot be checked as a failure, and binds it later', async () => {
  let isUp = false;
  const judge = (): Credential => {
    if (!isUp) throw new WireError('unavailable', 'cannot load the keys');
    return { id: 'other', name: 'alice', grants: [], expires_at_ms: null };
  };
  const { settle, settled, greeted, registered } = await proving({ judge, helloFailed: () => true });
  const alice = greeted('alice', '');
  expect(await settled(alice.ask('register', { name: 'alice' }))).toMatchObject({ error: UNAVAILABLE });
  expect(alice.frames).toMatchObject([{ kind: 'error', error: UNAVAILABLE }]);
  expect(alice.closed).toBe(false);
  isUp = true;
  await registered('alice', '');
  const again = greeted('alice', '');
  await settle();
  expect(again.frames).toMatchObject([{ kind: 'welcome' }]);
});
