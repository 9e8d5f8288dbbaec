// Authentication over a port: tokens of the hub, tokens of an issuer, and none.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { connect } from 'parley-hub';
import { beforeAll, expect, it } from 'vitest';
import { startedHub } from '../../support/started-hub.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const REFUSED = { code: 'unauthenticated' };
const once = { reconnect: false } as const;

it('[AU1] a token is good for the names registered with it, and for no other credential’s', async () => {
  const { hub, url } = await startedHub();
  const first = await hub.createToken({ label: 'first', grants: ['enrol'] });
  const second = await hub.createToken({ grants: ['enrol'] });
  const alice = await connect(url, { name: 'alice', token: first.token, ...once });
  const again = await connect(url, { name: 'alice', token: first.token, ...once });
  expect(again.agentId).toBe(alice.agentId);
  await expect(connect(url, { name: 'alice', token: second.token, ...once })).rejects.toMatchObject(REFUSED);
  await expect(connect(url, { name: 'carol', token: `${first.token}x`, ...once })).rejects.toMatchObject(REFUSED);
  await expect(connect(url, { name: 'carol', ...once })).rejects.toMatchObject(REFUSED);
  // A name registered inside the process belongs to no token.
  await hub.agent('inside');
  await expect(connect(url, { name: 'inside', token: first.token, ...once })).rejects.toMatchObject(REFUSED);
});

it('[AU2] a token for one name registers and binds that name alone; without the grant none other is registered', async () => {
  const { hub, url } = await startedHub();
  const { token } = await hub.createToken({ name: 'bob' });
  const bob = await connect(url, { name: 'bob', token, ...once });
  expect(bob.name).toBe('bob');
  await expect(connect(url, { name: 'eve', token, ...once })).rejects.toMatchObject({
    code: 'forbidden',
    details: { name: 'eve', speaks_for: 'bob' },
  });
  const plain = await hub.createToken({});
  await expect(connect(url, { name: 'eve', token: plain.token, ...once })).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('needs the grant "enrol"'),
  });
});

it('[AU3] a token that is revoked or expires ends who speaks with it at once, and is not taken again', async () => {
  const { hub, url } = await startedHub();
  const { token, token_id } = await hub.createToken({ name: 'bob' });
  const bob = await connect(url, { name: 'bob', token });
  await hub.revokeToken(token_id);
  expect(await bob.closed).toMatchObject({ by: 'hub', reason: 'unauthorized', final: true });
  await expect(connect(url, { name: 'bob', token, ...once })).rejects.toMatchObject(REFUSED);
  const short = await hub.createToken({ name: 'carol', ttl: 1 });
  const carol = await connect(url, { name: 'carol', token: short.token });
  expect(await carol.closed).toMatchObject({ by: 'hub', reason: 'unauthorized' });
  await expect(connect(url, { name: 'carol', token: short.token, ...once })).rejects.toMatchObject(REFUSED);
  await expect(hub.revokeToken(token_id)).rejects.toMatchObject({ code: 'not_found' });
});

it('[AU4] requires enrol to create, list and revoke tokens; rejects grants that the caller lacks', async () => {
  const { hub, url } = await startedHub();
  const admin = await hub.createToken({ grants: ['enrol'] });
  const root = await connect(url, { name: 'root', token: admin.token, ...once });
  await expect(root.call('create_token', { grants: ['operate'] })).rejects.toMatchObject({ code: 'forbidden' });
  const made = await root.call('create_token', { name: 'bob', label: 'for bob', ttl: '1d' });
  expect(made).toMatchObject({ name: 'bob', label: 'for bob', grants: [], created_by: root.agentId });
  const { tokens } = await root.call('list_tokens', {});
  expect(tokens.map(({ label, last_used_at }) => [label, last_used_at !== null])).toEqual(
    expect.arrayContaining([
      ['for bob', false],
      [null, true],
    ]),
  );
  expect(JSON.stringify(tokens)).not.toContain('digest');
  expect(JSON.stringify(tokens)).not.toContain(secretOf(made.token));
  const bob = await connect(url, { name: 'bob', token: made.token, ...once });
  await expect(bob.call('list_tokens', {})).rejects.toMatchObject({ code: 'forbidden' });
  await root.call('revoke_token', { token_id: made.token_id });
  expect(await bob.closed).toMatchObject({ reason: 'unauthorized' });
});

it('[AU5] after a restart tokens hold as before, what was revoked stays revoked, and the folder has no secret', async () => {
  const data = tempFolder();
  const before = await startedHub({}, { data: join(data, 'hub') });
  const kept = await before.hub.createToken({ name: 'bob' });
  const gone = await before.hub.createToken({ name: 'eve' });
  const first = await connect(before.url, { name: 'bob', token: kept.token, ...once });
  await before.hub.revokeToken(gone.token_id);
  await before.hub.stop();
  const after = await startedHub({}, { data: join(data, 'hub') });
  const bob = await connect(after.url, { name: 'bob', token: kept.token, ...once });
  expect(bob.agentId).toBe(first.agentId);
  await expect(connect(after.url, { name: 'eve', token: gone.token, ...once })).rejects.toMatchObject(REFUSED);
  await after.hub.stop();
  const files = await readdir(join(data, 'hub'), { recursive: true, withFileTypes: true });
  const contents = files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name)));
  const all = Buffer.concat(await Promise.all(contents));
  expect(all.includes(kept.token_id)).toBe(true);
  expect(all.includes(secretOf(kept.token))).toBe(false);
});

it('[OB1, OB5, AU6] a credential may observe, as long as it holds', async () => {
  const { hub, url } = await startedHub();
  const alice = await hub.agent('alice');
  await hub.agent('bob', { onMessage: () => {} });
  const session = await alice.open('conversation', ['bob']);
  const { token, token_id } = await hub.createToken({ name: 'olga', grants: ['observe'] });
  const olga = await connect(url, { name: 'olga', token });
  let heard = (): void => {};
  const said = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const observation = await olga.observe(session.id, () => heard());
  await session.send('one');
  await said;
  await hub.revokeToken(token_id);
  expect(await observation.ended).toEqual({ by: 'client' });
  const plain = await hub.createToken({ name: 'otto' });
  const otto = await connect(url, { name: 'otto', token: plain.token });
  await expect(otto.observe(session.id, () => {})).rejects.toMatchObject({ code: 'not_found' });
});

it('[AU6] grants of a credential count as its identity’s own', async () => {
  const { hub, url } = await startedHub();
  const plain = await hub.createToken({ name: 'bob' });
  const operator = await hub.createToken({ name: 'olga', grants: ['operate'] });
  const [bob, olga] = [
    await connect(url, { name: 'bob', token: plain.token, ...once }),
    await connect(url, { name: 'olga', token: operator.token, ...once }),
  ];
  await hub.agent('alice');
  const session = await bob.open('conversation', ['alice']);
  const hide = { session_id: session.id, participant: 'alice' };
  await expect(bob.call('hide_participant', hide)).rejects.toMatchObject({ code: 'forbidden' });
  expect(await olga.call('hide_participant', hide)).toMatchObject({ state: 'ACTIVE' });
});

it('[AU7] nobody’s proof is taken only where it was asked for: on the loopback, and not through a proxy', async () => {
  const { hub } = await startedHub();
  await expect(hub.listen({ host: '0.0.0.0', port: 0, auth: { none: true } })).rejects.toMatchObject({
    code: 'unsafe_auth',
    message: expect.stringContaining('loopback'),
  });
  await expect(hub.listen({ port: 0, auth: { tokens: false } })).rejects.toMatchObject({ code: 'unsafe_auth' });
  const { url } = await hub.listen({ port: 0, auth: { none: true } });
  await connect(url, { name: 'alice', ...once });
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(url, { headers: { 'x-forwarded-for': '203.0.113.9' } });
  await new Promise((resolve) => socket.once('open', resolve));
  const answered = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))));
  socket.send('{"kind":"hello","protocol":1,"name":"alice","auth":{"scheme":"none"}}');
  expect(await answered).toContain('unauthenticated');
  socket.close();
});

function secretOf(token: string): string {
  return token.slice('parley_0123456789abcdef_'.length);
}

interface Issuer {
  readonly key: SigningKey;
  readonly jwks: { readonly keys: readonly object[] };
}
let issuer: Issuer;
beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  issuer = { key: privateKey, jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] } };
});

type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

const HUB = { issuer: 'https://issuer.example', audience: 'parley' };

interface Claims {
  readonly sub?: string;
  readonly iss?: string;
  readonly aud?: string;
  readonly exp?: string | number;
  readonly nbf?: string | number;
  readonly scope?: string;
}

function signed(claims: Claims, key: SigningKey | Uint8Array = issuer.key, alg = 'ES256'): Promise<string> {
  const { sub = 'dora', iss = HUB.issuer, aud = HUB.audience, exp = '1h', nbf = '0s', ...rest } = claims;
  return new SignJWT({ ...rest })
    .setProtectedHeader({ alg, kid: 'k1' })
    .setSubject(sub)
    .setIssuer(iss)
    .setAudience(aud)
    .setExpirationTime(exp)
    .setNotBefore(nbf)
    .sign(key);
}

it('[AU8] a JWT of the issuer is its subject, with the grants of its scope; a file of keys does as well', async () => {
  const file = join(tempFolder(), 'jwks.json');
  await writeFile(file, JSON.stringify(issuer.jwks));
  const { url } = await startedHub({ auth: { jwt: { ...HUB, jwks: file } } });
  const credentials = { scheme: 'jwt', token: await signed({ scope: 'operate other' }) };
  const dora = await connect(url, { name: 'dora', credentials, ...once });
  expect(await dora.call('get_rule', {})).toBeDefined();
  await expect(dora.call('get_rule', { agent: 'x' })).rejects.toMatchObject({ code: 'forbidden' });
  await expect(connect(url, { name: 'eve', credentials, ...once })).rejects.toMatchObject({ code: 'forbidden' });
  const brief = { scheme: 'jwt', token: await signed({ sub: 'brief', exp: Math.floor(Date.now() / 1000) + 2 }) };
  const client = await connect(url, { name: 'brief', credentials: brief });
  expect(await client.closed).toMatchObject({ by: 'hub', reason: 'unauthorized' });
});

it('[AU8] a JWT that is another issuer’s, for another, too early, too late, nobody’s, unsigned or signed with the wrong key proves nothing', async () => {
  const { url } = await startedHub({ auth: { jwt: { ...HUB, jwks: issuer.jwks } } });
  const { privateKey } = await generateKeyPair('ES256');
  const now = Math.floor(Date.now() / 1000);
  const [, body = ''] = (await signed({})).split('.');
  // As a credential without a name it could register and be anybody.
  const withSubject = (sub: unknown): Promise<string> =>
    new SignJWT({ sub, iss: HUB.issuer, aud: HUB.audience, exp: now + 60, scope: 'enrol' } as Record<string, unknown>)
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(issuer.key);
  const bad = {
    iss: await signed({ iss: 'https://other.example' }),
    aud: await signed({ aud: 'other' }),
    exp: await signed({ exp: now - 60 }),
    nbf: await signed({ nbf: now + 600 }),
    key: await signed({}, privateKey),
    hs256: await signed({}, new TextEncoder().encode(JSON.stringify(issuer.jwks.keys[0])), 'HS256'),
    nobody: await withSubject(null),
    anything: await withSubject(7),
    empty: await withSubject(''),
    unsigned: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
    text: 'x',
    number: 7,
    long: 'x'.repeat(20_000),
  };
  for (const [why, token] of Object.entries(bad)) {
    const credentials = { scheme: 'jwt', token };
    await expect(connect(url, { name: 'dora', credentials, ...once }), why).rejects.toMatchObject(REFUSED);
  }
});

it('[AU9] rejects unsafe key sets when the port opens', async () => {
  const { hub } = await startedHub();
  const opened = (jwt: object) => hub.listen({ port: 0, auth: { jwt: { ...HUB, jwks: issuer.jwks, ...jwt } } });
  await expect(opened({ jwks: 'http://issuer.example/keys' })).rejects.toThrow('expected an https URL');
  await expect(opened({ jwks: 'no/such/file.json' })).rejects.toThrow('cannot read the file no/such/file.json');
  await expect(opened({ jwks: { keys: 7 } })).rejects.toThrow('expected {"keys": [...]}');
  await expect(opened({ algorithms: ['HS256'] })).rejects.toThrow('auth.jwt.algorithms: expected some of RS256');
  await expect(opened({ algorithms: ['none'] })).rejects.toThrow('got "none"');
  await expect(opened({ issuer: '' })).rejects.toThrow('auth.jwt.issuer: expected a non-empty text');
});
