// Bodies are read only after authentication, and every fault is refused with a code.

import { once } from 'node:events';
import type { WireCode } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { HttpHub, memberOf } from './http-hub.ts';
import { RawHttp, requestText } from './raw-http.ts';

const JSON_TYPE = 'Content-Type: application/json';

describe('a body', () => {
  it('[HT10] of who proves nothing is not waited for: the refusal comes before it', async () => {
    const http = await HttpHub.open();
    const raw = await RawHttp.to(http.port);
    raw.write(
      requestText('POST /api/v1/list_sessions', [
        JSON_TYPE,
        'Content-Length: 900000',
        'Authorization: Bearer parley_no',
      ]),
    );
    expect(await raw.until('"unauthenticated"')).toContain('401 Unauthorized');
    // A late answer is not taken for another request.
    raw.write('x'.repeat(900_000)).write(requestText('GET /healthz'));
    await raw.until('"alive"');
    expect(raw.statuses).toEqual([401, 200]);
    raw.socket.destroy();
  });

  it('[HT10] of a stranger is small, also where anyone may ask', async () => {
    const http = await HttpHub.open();
    expect((await http.post('/health', { x: 'y'.repeat(10_000) })).body.error).toMatchObject({ code: 'too_large' });
    const token = await http.member('alice');
    expect((await http.post('/health', { x: 'y'.repeat(10_000) }, { token })).status).toBe(200);
  });

  it('[HT10] that is nested too deep is refused without being parsed', async () => {
    const { http, token } = await memberOf('alice');
    const nested = (depth: number, inText = '') =>
      http.send(
        'POST',
        '/api/v1/list_sessions',
        `{"labels":"${inText}","x":${'['.repeat(depth)}${']'.repeat(depth)}}`,
        {
          token,
          headers: { 'content-type': 'application/json' },
        },
      );
    const deep = await nested(400_000);
    expect(deep).toMatchObject({ status: 400, body: { error: { code: 'bad_frame', details: { field: 'body' } } } });
    expect(deep.body.error.message).toContain('nested at most 80 deep');
    expect((await nested(80)).body.error.message).toContain('nested at most 80 deep');
    // Brackets in texts are texts, quoted quotes and all.
    for (const text of ['['.repeat(500), `\\"${'['.repeat(500)}`, `${'['.repeat(500)}\\\\`]) {
      expect((await nested(1, text)).status).toBe(200);
    }
  });

  it('[HT5] that is not UTF-8 is refused, not mended', async () => {
    const { http, token } = await memberOf('alice');
    const raw = await RawHttp.to(http.port);
    const body = Buffer.concat([Buffer.from('{"name":"a'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')]);
    raw.write(
      requestText('POST /api/v1/health', [
        JSON_TYPE,
        `Content-Length: ${body.length}`,
        `Authorization: Bearer ${token}`,
      ]),
    );
    raw.write(body);
    expect(await raw.until('UTF-8')).toContain('400 Bad Request');
    expect(raw.heard).toContain('"code":"bad_frame"');
    raw.socket.destroy();
  });

  it('[HT5] of another type, charset or encoding is answered 415, and with which header is wrong', async () => {
    const { http, token } = await memberOf('alice');
    const send = async (headers: Record<string, string>) => {
      const { status, body } = await http.send('POST', '/api/v1/health', '{}', { token, headers });
      return [status, body.error?.code, body.error?.details.field];
    };
    const type = { 'content-type': 'application/json' };
    expect(await send({ 'content-type': 'text/plain' })).toEqual([415, 'bad_frame', 'content-type']);
    expect(await send({ 'content-type': 'application/json; charset=utf-16' })).toEqual([
      415,
      'bad_frame',
      'content-type',
    ]);
    for (const encoding of ['gzip', 'br', 'identity, gzip', 'nonsense']) {
      expect(await send({ ...type, 'content-encoding': encoding })).toEqual([415, 'bad_frame', 'content-encoding']);
    }
    for (const fine of [
      {},
      { 'content-encoding': 'identity' },
      { 'content-type': 'Application/JSON ; Charset="UTF-8"' },
    ]) {
      expect((await send({ ...type, ...fine }))[0]).toBe(200);
    }
  });

  it('[HT5] that is too large is refused, and its sender is there for the answer', async () => {
    const http = await HttpHub.open({}, { limits: { maxFrameBytes: 100_000 } });
    const token = await http.member('alice');
    const raw = await RawHttp.to(http.port);
    const head = [JSON_TYPE, `Authorization: Bearer ${token}`];
    raw.write(requestText('POST /api/v1/health', [...head, 'Content-Length: 300000'], 'x'.repeat(300_000)));
    raw.write(requestText('GET /healthz'));
    await raw.until('"alive"');
    expect(raw.statuses).toEqual([413, 200]);
    // Without an end in sight it is not read to the end.
    raw.write(requestText('POST /api/v1/health', [...head, 'Content-Length: 3000000'], 'x'));
    await raw.closed();
    expect(raw.statuses).toEqual([413, 200, 413]);
  });

  it('[HT10] is requested with 100-continue only after authentication', async () => {
    const { http, token } = await memberOf('alice');
    const head = [JSON_TYPE, 'Content-Length: 2', 'Expect: 100-continue'];
    const known = await RawHttp.to(http.port);
    known.write(requestText('POST /api/v1/health', [...head, `Authorization: Bearer ${token}`]));
    await known.until('100 Continue');
    known.write('{}');
    await known.until('"ready"');
    expect(known.statuses).toEqual([100, 200]);
    known.socket.destroy();
    const stranger = await RawHttp.to(http.port);
    stranger.write(requestText('POST /api/v1/list_sessions', head));
    // Closed, because a body that never comes would be waited for.
    expect(await stranger.closed()).toMatch(/Connection: close/i);
    expect(stranger.statuses).toEqual([401]);
  });

  it('[MO1] that breaks off is no error of anybody: nothing is counted, nothing is logged', async () => {
    const errors: string[] = [];
    const log = { info() {}, warn() {}, error: (message: string) => void errors.push(message) };
    const http = await HttpHub.open({}, { log });
    const token = await http.member('alice');
    const before = await refusals(http);
    const raw = await RawHttp.to(http.port);
    raw.write(
      requestText('POST /api/v1/health', [
        JSON_TYPE,
        'Content-Length: 100',
        `Authorization: Bearer ${token}`,
        'Expect: 100-continue',
      ]),
    );
    await raw.until('100 Continue');
    raw.write('{"half":');
    raw.socket.resetAndDestroy();
    await once(raw.socket, 'close');
    await http.get('/health');
    expect(await refusals(http)).toEqual(before);
    expect(errors).toEqual([]);
  });
});

async function refusals(http: HttpHub): Promise<string[]> {
  const { text } = await http.send('GET', '/metrics', null);
  return text.split('\n').filter((line) => line.startsWith('parley_refusals_total{'));
}

it('[MO1] every refusal of the port is counted, wherever it was said', async () => {
  const http = await HttpHub.open();
  const far = { 'x-forwarded-for': '203.0.113.9' };
  await http.send('GET', '/metrics', null, { headers: far });
  await http.send('GET', '/metrics', null, { headers: { ...far, host: 'evil.example' } });
  await http.send('GET', '/nothing', null);
  const raw = await RawHttp.to(http.port);
  await raw.write('NONSENSE\r\n\r\n').closed();
  const upgrade = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Origin: https://evil.example',
  ];
  const socket = await RawHttp.to(http.port);
  await socket.write(requestText('GET /', [...upgrade, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='])).closed();
  expect((await refusals(http)).sort()).toEqual([
    'parley_refusals_total{code="bad_frame"} 1',
    'parley_refusals_total{code="forbidden"} 2',
    'parley_refusals_total{code="not_found"} 1',
    'parley_refusals_total{code="unauthenticated"} 1',
  ]);
});

it('[HT4] a retryable refusal says when, even if the hub cannot know', async () => {
  const http = await HttpHub.open();
  const [alice, bob] = [{ token: await http.member('alice') }, { token: await http.member('bob', ['rules']) }];
  expect((await http.post('/set_rule', { rule: { limits: { inbox: { max_pending: 1 } } } }, bob)).status).toBe(200);
  const opened = await http.post('/sessions', { type: 'conversation', participants: ['bob'], wait: 'created' }, alice);
  const id = opened.body.session.session_id;
  await http.post('/ack_invite', { session_id: id }, bob);
  const codes: (WireCode | undefined)[] = [];
  for (let n = 0; n < 5 && codes.at(-1) === undefined; n++) {
    const text = { event_type: 'msg.text', event_data: { text: `${n}` } };
    const { status, headers, body } = await http.post(`/sessions/${id}/post`, text, alice);
    codes.push(body.error?.code);
    if (status !== 200) expect({ status, retry: headers['retry-after'] }).toEqual({ status: 429, retry: '5' });
  }
  expect(codes.at(-1)).toBe('inbox_full');
});

it('[AU14, HT2] answers 401 without a result if the credential is revoked while the request runs', async () => {
  const http = await HttpHub.open();
  const { token, token_id } = await http.hub.createToken({ name: 'alice' });
  await http.post('/register', { name: 'alice' }, { token });
  const bob = { token: await http.member('bob') };
  const waiting = http.post('/sessions', { type: 'conversation', participants: ['bob'] }, { token });
  let id: string | undefined;
  while (id === undefined) id = (await http.get('/sessions', bob)).body.sessions[0]?.session_id;
  await http.hub.revokeToken(token_id);
  expect((await http.post('/ack_invite', { session_id: id }, bob)).status).toBe(200);
  const { status, text, headers } = await waiting;
  expect({ status, challenge: headers['www-authenticate'] }).toEqual({ status: 401, challenge: 'Bearer' });
  expect(text).not.toContain(id);
});
