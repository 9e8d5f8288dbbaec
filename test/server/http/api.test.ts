// The HTTP API over a real port: the same operations, the same refusals, beside whoever is connected.

import { connect } from 'parley-hub';
import { OPERATIONS, WIRE_CODES, WireError } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/core/ports/platform.ts';
import { STATUS } from '../../../src/server/http/respond.ts';
import { matchRoute, ROUTES } from '../../../src/server/http/routes.ts';
import { answerHttp, type SiteHub } from '../../../src/server/http-site.ts';
import { Addresses } from '../../../src/server/port/addresses.ts';
import { HttpHub, memberOf } from './http-hub.ts';

const NOWHERE = '0'.repeat(32);

it('[HT1] every operation is there by its name, and says the same of wrong parameters as over a socket', async () => {
  const { http, token } = await memberOf('alice', ['operate', 'observe', 'enrol', 'rules']);
  const alice = await connect(http.url, { name: 'alice', token });
  for (const op of Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]) {
    if (op === 'register' || op === 'subscribe' || op === 'unsubscribe' || op === 'unregister') continue;
    const wrong = { limit: 'x', session_id: 1, name: 2, text: 3, rule: 4, schedule_id: 5, token_id: 6, after: 7 };
    const over = await alice.call(op, wrong as never).then(
      () => null,
      (error: { code: string; message: string }) => error,
    );
    const { status, body } = await http.post(`/${op}`, wrong, { token });
    if (over === null) expect({ op, status }).toEqual({ op, status: 200 });
    else
      expect({ op, status, ...body.error }).toMatchObject({ op, status: 400, code: over.code, message: over.message });
  }
  alice.close();
});

it('[HT1] a script opens, posts, reads and closes a session by friendly paths', async () => {
  const http = await HttpHub.open();
  const alice = { token: await http.member('alice') };
  const bob = { token: await http.member('bob') };
  const opened = await http.post('/sessions', { type: 'conversation', participants: ['bob'], wait: 'created' }, alice);
  const id = opened.body.session.session_id;
  expect((await http.post('/ack_invite', { session_id: id }, bob)).status).toBe(200);
  const text = { event_type: 'msg.text', event_data: { text: 'Soup?' } };
  expect(await http.post(`/sessions/${id}/post`, text, alice)).toMatchObject({ status: 200, body: { seq: 5 } });
  expect((await http.get(`/sessions/${id}`, bob)).body.session.state).toBe('ACTIVE');
  const log = await http.get(`/sessions/${id}/log?from_seq=5&limit=1&reverse=false`, bob);
  expect(log.body.envelopes).toMatchObject([{ seq: 5, event_data: { text: 'Soup?' } }]);
  expect((await http.get('/sessions?states=ACTIVE,CLOSED&type=conversation', bob)).body.sessions).toHaveLength(1);
  expect((await http.get('/sessions?states=CLOSED', bob)).body.sessions).toEqual([]);
  const view = encodeURIComponent(JSON.stringify({ name: 'full_transcript' }));
  expect((await http.get(`/sessions/${id}/view?view=${view}`, bob)).text).toContain('Soup?');
  expect((await http.get('/agents?limit=1', bob)).body).toMatchObject({ agents: [{ name: 'alice' }], next: 'alice' });
  expect((await http.get('/agents?limit=1&after=alice', bob)).body).toMatchObject({ agents: [{ name: 'bob' }] });
  expect((await http.get('/agents/alice/skill', bob)).status).toBe(200);
  expect((await http.get('/turns', bob)).body).toEqual({ turns: [], next: null });
  expect(await http.post(`/sessions/${id}/close`, {}, alice)).toMatchObject({ status: 200 });
});

it('[HT1] paths match by their parts, and every friendly one names parameters its operation has', () => {
  for (const { method, path, op } of ROUTES) {
    const given = path.replace(/\{\w+\}/g, 'a%20b');
    expect(matchRoute(method, given)).toMatchObject({ op });
    const { properties = {} } = OPERATIONS[op].params.jsonSchema() as { properties?: object };
    expect(Object.keys(properties)).toEqual(
      expect.arrayContaining(Object.keys(matchRoute(method, given)?.params ?? {})),
    );
  }
  expect(matchRoute('GET', '/sessions/a%20b')).toEqual({ op: 'get_session', params: { session_id: 'a b' } });
  for (const wrong of ['/sessions/', '/sessions/%', '/sessions/a/b', '/session', '', '/toString', '/post']) {
    expect(matchRoute('GET', wrong)).toBe(null);
  }
  expect(matchRoute('DELETE', '/sessions')).toBe(null);
});

it('[HT1] rejects unknown query parameters and values of the wrong kind by name', async () => {
  const { http, token } = await memberOf('alice');
  const said = async (path: string) => (await http.get(path, { token })).body.error;
  expect(await said('/sessions?colour=red')).toMatchObject({ code: 'bad_frame', details: { field: 'query' } });
  expect(await said('/sessions?limit=many')).toMatchObject({ code: 'bad_frame', details: { field: 'params.limit' } });
  expect(await said('/sessions?states=ACTIVE,NEVER')).toMatchObject({ code: 'bad_frame' });
  expect(await said(`/sessions/${NOWHERE}/log?reverse=perhaps`)).toMatchObject({ code: 'bad_frame' });
  expect(await said(`/sessions/${NOWHERE}/view?view=x`)).toMatchObject({ details: { field: 'query.view' } });
});

describe('who asks', () => {
  it('[HT2] is who the bearer credential names; nothing, a wrong one and a cookie prove nothing', async () => {
    const { http, token } = await memberOf('alice');
    expect((await http.get('/agents', { token })).status).toBe(200);
    for (const asking of [
      {},
      { token: `${token}x` },
      { token: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.' },
      { headers: { cookie: `token=${token}; authorization=Bearer ${token}` } },
      { headers: { authorization: token } },
      { headers: { authorization: `Basic ${token}` } },
      { as: 'alice' },
    ]) {
      const { status, headers, body, text } = await http.get('/agents', asking);
      expect({ status, challenge: headers['www-authenticate'] }).toEqual({ status: 401, challenge: 'Bearer' });
      expect(body.error.code).toBe('unauthenticated');
      expect(text).not.toContain(token);
    }
    // The address bar is written down in too many places.
    expect((await http.get(`/agents?token=${token}`)).status).toBe(401);
    expect((await http.get(`/agents?token=${token}`, { token })).status).toBe(400);
  });

  it('[HT2] is named where a credential speaks for several, and may be nobody else', async () => {
    const http = await HttpHub.open();
    const { token } = await http.hub.createToken({ grants: ['enrol'] });
    await http.member('carol');
    for (const name of ['alice', 'bob']) expect((await http.post('/register', { name }, { token })).status).toBe(200);
    expect((await http.post('/list_sessions', {}, { token })).body.error).toMatchObject({
      code: 'bad_frame',
      details: { field: 'as' },
    });
    const bob = (await http.get('/agents', { token, as: 'bob' })).body.agents[1].agent_id;
    for (const asking of [{ as: 'bob' }, { as: bob }]) {
      expect((await http.post('/get_resume', {}, { token, ...asking })).body.agent_id).toBe(bob);
    }
    expect((await http.get('/agents/bob/rule?as=bob', { token })).status).toBe(200);
    for (const as of ['carol', 'nobody', NOWHERE]) {
      expect(await http.get('/agents', { token, as })).toMatchObject({ status: 401 });
    }
  });

  it('[HT2] has the grants of the credential it came with, not those of the connection bound as it', async () => {
    const http = await HttpHub.open();
    const plain = await http.member('alice');
    const strong = await http.member('alice', ['enrol']);
    const alice = await connect(http.url, { name: 'alice', token: strong });
    expect((await alice.call('list_tokens', {})).tokens).toHaveLength(2);
    expect((await http.get('/tokens', { token: plain })).status).toBe(403);
    expect((await http.get('/tokens', { token: strong })).status).toBe(200);
    alice.close();
  });

  it('[HT2, AU3] is nobody any more when the credential was revoked', async () => {
    const { http, token } = await memberOf('alice');
    const [record] = http.hub.tokens();
    await http.hub.revokeToken(record?.token_id ?? '');
    expect((await http.get('/agents', { token })).status).toBe(401);
  });

  it('[HT2] may be anybody where none is asked for, but only who was registered so', async () => {
    const http = await HttpHub.open({ auth: { none: true, tokens: true } });
    await http.member('carol');
    expect((await http.post('/register', { name: 'alice' })).status).toBe(200);
    expect((await http.get('/agents', { as: 'alice' })).status).toBe(200);
    expect((await http.get('/agents', { as: 'carol' })).status).toBe(401);
    const forwarded = { as: 'alice', headers: { 'x-forwarded-for': '203.0.113.9' } };
    expect((await http.get('/agents', forwarded)).status).toBe(401);
  });
});

it('[HT2] without a credential health is answered, and nothing is registered', async () => {
  const http = await HttpHub.open();
  expect((await http.get('/health')).body.ready).toBe(true);
  expect((await http.post('/health', {})).body.ready).toBe(true);
  expect(await http.post('/register', { name: 'alice' })).toMatchObject({ status: 401 });
});

it('[HT3] a request takes over from nobody: who is connected hears what it posted, and no goodbye', async () => {
  const { http, token } = await memberOf('alice');
  const bobs = await http.member('bob');
  const heard: string[] = [];
  const bob = await connect(http.url, { name: 'bob', token: bobs, onMessage: ({ text }) => void heard.push(text) });
  const alice = await connect(http.url, { name: 'alice', token, reconnect: false });
  const session = await alice.open('conversation', ['bob']);
  const post = { session_id: session.id, event_type: 'msg.text', event_data: { text: 'over HTTP' } };
  expect((await http.post('/post', post, { token })).status).toBe(200);
  await session.send('over the socket');
  expect((await http.post('/post', post, { token: bobs })).status).toBe(200);
  expect((await alice.call('health', {})).bound).toBe(2);
  await expect.poll(() => heard).toEqual(['over HTTP', 'over the socket']);
  for (const client of [alice, bob]) client.close();
});

it('[HT3] unregister over HTTP ends the connection that speaks for the identity', async () => {
  const { http, token } = await memberOf('alice');
  const alice = await connect(http.url, { name: 'alice', token, reconnect: false });
  expect((await http.post('/unregister', {}, { token })).status).toBe(200);
  expect(await alice.closed).toMatchObject({ reason: 'unregistered' });
  expect((await http.get('/agents', { token })).status).toBe(401);
});

it('[HT4] every code has its status, and a refusal says code, message and details', async () => {
  expect(Object.keys(STATUS).sort()).toEqual(Object.keys(WIRE_CODES).sort());
  const { http, token } = await memberOf('alice');
  const { status, headers, body } = await http.get(`/sessions/${NOWHERE}`, { token });
  expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'application/json' });
  expect(body).toEqual({ error: { code: 'not_found', message: expect.stringContaining(NOWHERE) } });
  for (const [method, path] of [
    ['GET', '/api/v1/nothing'],
    ['PUT', '/api/v1/sessions'],
    ['GET', '/api/v1/'],
    ['GET', '/other'],
  ] as const) {
    expect(await http.send(method, path, null, { token })).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  }
});

describe('what is asked', () => {
  it('[HT5] is one JSON object that says so, and no larger than a frame', async () => {
    const http = await HttpHub.open({}, { limits: { maxFrameBytes: 2000 } });
    const token = await http.member('alice');
    const send = (body: string, type?: string) =>
      http.send('POST', '/api/v1/health', body, { token, headers: type === undefined ? {} : { 'content-type': type } });
    expect((await send('{}', 'application/json; charset=utf-8')).status).toBe(200);
    expect((await send('', 'application/json')).status).toBe(200);
    for (const type of [undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const { status, body } = await send('{}', type);
      expect({ status, ...body.error }).toMatchObject({
        status: 415,
        code: 'bad_frame',
        details: { field: 'content-type', expected: 'application/json' },
      });
    }
    for (const body of ['{', '[]', '1', 'null', '"x"']) {
      expect((await send(body, 'application/json')).body.error).toMatchObject({ details: { field: 'body' } });
    }
    const large = await send(JSON.stringify({ x: 'é'.repeat(1000) }), 'application/json');
    expect(large).toMatchObject({ status: 413, body: { error: { code: 'too_large' } } });
    expect((await send('{}', 'application/json')).status).toBe(200);
  });

  it('[HT5] allows configured origins by CORS headers, and no cookies', async () => {
    const http = await HttpHub.open({ origins: ['https://console.example'] });
    const token = await http.member('alice');
    const from = (headers: Record<string, string>, method = 'GET') =>
      http.send(method, '/api/v1/agents', null, { token, headers });
    expect((await from({ host: 'evil.example' })).status).toBe(403);
    const evil = await from({ origin: 'https://evil.example' });
    expect(evil.status).toBe(403);
    expect(evil.headers['access-control-allow-origin']).toBe(undefined);
    expect((await from({ origin: 'https://evil.example' }, 'OPTIONS')).status).toBe(403);
    const page = { origin: 'https://console.example' };
    const asked = await from(page, 'OPTIONS');
    expect(asked.status).toBe(204);
    expect(asked.headers['access-control-allow-headers']).toContain('authorization');
    const { status, headers } = await from(page);
    expect({ status, allowed: headers['access-control-allow-origin'] }).toEqual({ status: 200, allowed: page.origin });
    expect(headers['access-control-allow-credentials']).toBe(undefined);
  });
});

it('[HT6] a post with a key is accepted once, over HTTP and the socket together', async () => {
  const { http, token } = await memberOf('alice');
  const bob = await connect(http.url, { name: 'bob', token: await http.member('bob'), onMessage() {} });
  const alice = await connect(http.url, { name: 'alice', token });
  const { id } = await alice.open('conversation', ['bob']);
  const post = { session_id: id, event_type: 'msg.text', event_data: { text: 'once' }, idempotency_key: 'k' } as const;
  const first = await http.post('/post', post, { token });
  const second = await http.post('/post', post, { token });
  expect(second.body).toEqual({ ...first.body, turn: second.body.turn, duplicate: true });
  expect(await alice.call('post', post)).toMatchObject({ seq: first.body.seq, duplicate: true });
  const other = await http.post('/post', { ...post, event_data: { text: 'other' } }, { token });
  expect(other).toMatchObject({ status: 409, body: { error: { code: 'duplicate' } } });
  for (const client of [alice, bob]) client.close();
});

it('[HT7] rejects operations that require a connection, and names the alternative', async () => {
  const { http, token } = await memberOf('alice', ['observe']);
  for (const op of ['subscribe', 'unsubscribe']) {
    const { status, body } = await http.post(`/${op}`, { session_id: NOWHERE }, { token });
    expect({ status, message: body.error.message }).toEqual({
      status: 400,
      message: expect.stringContaining('WebSocket'),
    });
  }
});

it('[HT8] so many requests may be open with one credential', async () => {
  const http = await HttpHub.open({}, { limits: { maxOpenRequests: 2 } });
  const alice = { token: await http.member('alice') };
  await http.member('bob');
  const open = () => http.post('/create_session', { type: 'conversation', participants: ['bob'] }, alice);
  // Two wait for bob, so that whoever is answered was refused.
  const first = await Promise.race([open(), open(), open()]);
  expect(first).toMatchObject({
    status: 429,
    headers: { 'retry-after': '1' },
    body: { error: { code: 'rate_limited' } },
  });
  expect((await http.get('/sessions', { token: await http.member('carol') })).status).toBe(200);
});

it('[HT8] an address whose credentials proved nothing too often is asked to wait, before anything is looked at', async () => {
  const addresses = new Addresses(
    { maxConnections: 9, maxConnectionsPerAddress: 9, maxPending: 9, maxFailedHellosPerMinute: 2 },
    () => 0,
  );
  const far = '203.0.113.9';
  const hub = {
    ask: ({ unproven }: { unproven(): void }) => {
      unproven();
      return Promise.reject(new WireError('unauthenticated', 'no'));
    },
    refused() {},
    log: silentLog,
    maxFrameBytes: 100,
  } as unknown as SiteHub;
  const visitor = {
    forbidden: null,
    isTls: false,
    needsNoProof: false,
    isLocal: false,
    authenticate: () => null,
    refusal: () => addresses.failureRefusal(far),
    unproven: () => void addresses.helloFailed(far),
  };
  const request = { url: '/api/v1/agents', method: 'GET', headers: { authorization: 'Bearer x' }, complete: true };
  const statuses: number[] = [];
  const response = { on() {}, setHeader() {}, writeHead: (status: number) => statuses.push(status), end() {} };
  for (const path of ['/api/v1/agents', '/metrics', '/api/v1/agents', '/metrics']) {
    await answerHttp(hub, visitor, { ...request, url: path } as never, response as never);
  }
  expect(statuses).toEqual([401, 401, 429, 429]);
});

it('[HT1, MO3] a header traceparent that is none is left alone, and a question mark in a query is part of it', async () => {
  const http = await HttpHub.open();
  const [token, bob] = [await http.member('alice'), await http.member('bob')];
  const asked = { type: 'conversation', participants: ['bob'], wait: 'created' };
  const { session } = (await http.post('/create_session', asked, { token })).body;
  expect((await http.post('/ack_invite', { session_id: session.session_id }, { token: bob })).status).toBe(200);
  const sent = { session_id: session.session_id, event_type: 'msg.text', event_data: { text: 'hi' } };
  const zero = `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`;
  for (const traceparent of ['garbage', `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, zero]) {
    expect((await http.post('/post', sent, { token, headers: { traceparent } })).status).toBe(200);
  }
  expect((await http.get('/sessions?type=a?&limit=many', { token })).status).toBe(400);
});
