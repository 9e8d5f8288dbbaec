// Requests as proxies, old clients and impatient ones send them: many at once on one socket, in other forms, twice.

import { connect } from 'parley-hub';
import { describe, expect, it } from 'vitest';
import { HttpHub, memberOf } from './http-hub.ts';
import { RawHttp, requestText } from './raw-http.ts';

describe('requests that come on one socket before the answers', () => {
  it('[HT12] are done one after the other, each answered, in their order', async () => {
    const http = await HttpHub.open({}, { limits: { maxOpenRequests: 2 } });
    const alice = await http.member('alice');
    const bob = await connect(http.url, { name: 'bob', token: await http.member('bob'), onMessage() {} });
    const { body } = await http.post('/sessions', { type: 'conversation', participants: ['bob'] }, { token: alice });
    const id = body.session.session_id;
    const head = ['Content-Type: application/json', `Authorization: Bearer ${alice}`];
    const posts = Array.from({ length: 50 }, (_, n) => {
      const text = JSON.stringify({ event_type: 'msg.text', event_data: { text: `n${n}` } });
      return requestText(`POST /api/v1/sessions/${id}/post`, [...head, `Content-Length: ${text.length}`], text);
    });
    const raw = await RawHttp.to(http.port);
    await raw.write([...posts, requestText('GET /healthz')].join('')).until('"alive"');
    expect(raw.statuses).toEqual(Array(51).fill(200));
    const seqs = [...raw.heard.matchAll(/"seq":(\d+)/g)].map(([, seq]) => Number(seq));
    expect(seqs).toEqual(Array.from({ length: 50 }, (_, n) => 5 + n));
    raw.socket.destroy();
    bob.close();
  });

  it('[HT12] take turns with everybody else, and more than so many end the socket', async () => {
    const http = await HttpHub.open();
    const many = await RawHttp.to(http.port);
    many.write(requestText('GET /api/v1/health').repeat(100));
    const other = await RawHttp.to(http.port);
    await other.write(requestText('GET /healthz')).until('"alive"');
    expect(many.statuses.length).toBeLessThan(100);
    while (many.statuses.length < 100) await many.until('HTTP/1.1 200').then(() => new Promise(setImmediate));
    const tooMany = await RawHttp.to(http.port);
    await tooMany.write(requestText('GET /api/v1/health').repeat(1000)).closed();
    expect(tooMany.statuses.length).toBeLessThan(200);
    for (const raw of [many, other]) raw.socket.destroy();
  });
});

describe('a request', () => {
  const said = async (http: HttpHub, text: string) => {
    const raw = await RawHttp.to(http.port);
    await raw.write(text).until('}\n');
    raw.socket.destroy();
    return [raw.statuses.at(-1), /"code":"(\w+)"/.exec(raw.heard)?.[1]];
  };

  it('[HT1] takes the identity and every parameter that is not a list only once', async () => {
    const http = await HttpHub.open();
    const { token } = await http.hub.createToken({ grants: ['enrol'] });
    for (const name of ['alice', 'bob']) await http.post('/register', { name }, { token });
    const fieldOf = async (path: string, as?: string) =>
      (await http.get(path, { token, as })).body.error?.details.field;
    expect(await fieldOf('/agents?as=alice&as=bob')).toBe('as');
    expect(await fieldOf('/agents?as=alice', 'bob')).toBe('as');
    expect(await fieldOf('/agents?as=alice', 'alice')).toBe(undefined);
    expect(await fieldOf('/agents?limit=1&limit=2', 'alice')).toBe('query.limit');
    expect(await fieldOf('/sessions?states=ACTIVE&states=CLOSED', 'alice')).toBe(undefined);
    for (const limit of ['0x10', '1e1', '+1', '%201']) {
      expect(await fieldOf(`/agents?limit=${limit}`, 'alice')).toBe('params.limit');
    }
  });

  it('[HT11] with its whole address, or for another protocol than WebSocket, is answered as any other', async () => {
    const http = await HttpHub.open();
    expect(await said(http, requestText('GET http://localhost/healthz'))).toEqual([200, undefined]);
    expect(await said(http, requestText('GET http://localhost/api/v1/health?as=x&x=y'))).toEqual([
      401,
      'unauthenticated',
    ]);
    const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA'];
    expect(await said(http, requestText('GET /healthz', h2c))).toEqual([200, undefined]);
    const token = await http.member('alice');
    const head = ['Content-Type: application/json', 'Content-Length: 2', `Authorization: Bearer ${token}`];
    expect(await said(http, requestText('POST /api/v1/list_sessions', [...head, ...h2c], '{}'))).toEqual([
      200,
      undefined,
    ]);
  });

  it('[HT11, PO3] rejects a missing Host, an unknown Expect or an encoded body with a code', async () => {
    const { http, token } = await memberOf('alice');
    expect(await said(http, 'GET /healthz HTTP/1.1\r\n\r\n')).toEqual([403, 'forbidden']);
    expect(await said(http, requestText('GET /healthz', ['Expect: 200-ok']))).toEqual([417, 'bad_frame']);
    const head = ['Content-Type: application/json', `Authorization: Bearer ${token}`];
    const gzip = requestText(
      'POST /api/v1/health',
      [...head, 'Transfer-Encoding: gzip, chunked'],
      '2\r\n{}\r\n0\r\n\r\n',
    );
    expect(await said(http, gzip)).toEqual([415, 'bad_frame']);
    const chunked = requestText(
      'POST /api/v1/health',
      [...head, 'Transfer-Encoding: chunked'],
      '2\r\n{}\r\n0\r\nX: y\r\n\r\n',
    );
    expect(await said(http, chunked)).toEqual([200, undefined]);
    const old = requestText('POST /api/v1/health', [...head, 'Content-Length: 2', 'Expect: 100-continue'], '{}');
    const raw = await RawHttp.to(http.port);
    await raw.write(old.replace('HTTP/1.1', 'HTTP/1.0')).closed();
    expect(raw.statuses).toEqual([200]);
  });
});
