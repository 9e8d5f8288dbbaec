/** `/mcp`: authentication, hosts and origins, and accepted requests. */

import type { IncomingMessage } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { authenticateRequest } from '../../../src/mcp/http/authenticate-request.ts';
import { type Answer, HttpHub } from '../../server/http/http-hub.ts';
import { Agent, REVISIONS } from '../agent.ts';

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

test('[MC2] counts an invalid token against its address, but not a missing one', async () => {
  const unproven = vi.fn();
  const asker = { refusal: () => null, authenticate: async () => null, unproven };
  const ask = (headers: object): Promise<unknown> =>
    authenticateRequest({} as never, asker, { url: '/mcp', headers } as IncomingMessage);
  await expect(ask({})).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(unproven).not.toHaveBeenCalled();
  await expect(ask({ authorization: 'Bearer wrong' })).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(unproven).toHaveBeenCalledTimes(1);
});

describe.each(REVISIONS)('revision %s', (revision) => {
  test('[MC2] answers 401 to missing, wrong and revoked tokens', async () => {
    const one = await HttpHub.open();
    const { token, token_id } = await one.hub.createToken({ name: 'reviewer' });
    const agent = await Agent.overHttp(one.port, token, { revision });
    await agent.value('sessions');
    await one.hub.revokeToken(token_id);
    await expect(agent.call('sessions')).rejects.toThrow(/unauthenticated/);
    for (const wrong of [null, token, `${token.slice(0, -3)}abc`, 'nonsense']) {
      await expect(Agent.overHttp(one.port, wrong, { revision })).rejects.toThrow();
    }
  });

  test('[MC2] authenticates every request by its token and ignores protocol session ids', async () => {
    const one = await HttpHub.open();
    const bob = await one.member('bob');
    const reviewer = await one.member('reviewer');
    const headers = { 'mcp-session-id': 'the-session-of-bob' };
    const first = await Agent.overHttp(one.port, bob, { revision, headers });
    const second = await Agent.overHttp(one.port, reviewer, { revision, headers });
    const you = async (agent: Agent): Promise<string> =>
      (await agent.value('peers')).peers.find((peer: { you?: boolean }) => peer.you === true).name;
    expect([await you(first), await you(second), await you(first)]).toEqual(['bob', 'reviewer', 'bob']);
  });

  test('[MC2] rejects tokens of another hub', async () => {
    const [a, b] = [await HttpHub.open(), await HttpHub.open()];
    const [ofA, ofB] = [await a.member('reviewer'), await b.member('reviewer')];
    await expect(Agent.overHttp(a.port, ofB, { revision })).rejects.toThrow();
    await expect(Agent.overHttp(b.port, ofA, { revision })).rejects.toThrow();
    const [inA, inB] = [
      await Agent.overHttp(a.port, ofA, { revision }),
      await Agent.overHttp(b.port, ofB, { revision }),
    ];
    await a.hub.agent('bob');
    const { session } = await inA.value('session_open', { type: 'conversation', participants: ['bob'] });
    expect(await inB.refusal('session_read', { session })).toMatch(/^not_found/);
    expect((await inB.value('sessions')).sessions).toEqual([]);
  });

  test('[MC2] requires Parley-As for a token without a name, and registers a new name if allowed', async () => {
    const one = await HttpHub.open();
    const { token } = await one.hub.createToken({ grants: ['enrol'] });
    await expect(Agent.overHttp(one.port, token, { revision })).rejects.toThrow();
    const headers = { 'parley-as': 'reviewer' };
    const agent = await Agent.overHttp(one.port, token, { revision, headers });
    expect((await agent.value('peers')).peers).toMatchObject([{ name: 'reviewer', kind: 'agent', you: true }]);
    const { token: other } = await one.hub.createToken({ grants: ['enrol'] });
    await expect(Agent.overHttp(one.port, other, { revision, headers })).rejects.toThrow();
    const { token: bare } = await one.hub.createToken({});
    await expect(Agent.overHttp(one.port, bare, { revision, headers: { 'parley-as': 'new' } })).rejects.toThrow();
  });

  test('[MC2] replaces no connection of the same name', async () => {
    const one = await HttpHub.open();
    const { token } = await one.hub.createToken({ name: 'reviewer' });
    const agent = await Agent.overHttp(one.port, token, { revision });
    await agent.value('sessions');
    const { connect } = await import('parley-hub/client');
    const client = await connect(one.url, { name: 'reviewer', token });
    await agent.value('sessions');
    await agent.value('peers');
    expect(client.state).toBe('open');
    client.close();
  });
});

describe('on the wire', () => {
  test('[MC2] answers a rejected token with 401 and WWW-Authenticate', async () => {
    const one = await HttpHub.open();
    for (const token of [undefined, 'parley_wrong']) {
      const answer = await asked(one, token, LIST);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.body.error.code).toBe('unauthenticated');
    }
  });

  test('[MC3] answers unknown hosts and origins with 403', async () => {
    const one = await HttpHub.open();
    const token = await one.member('reviewer');
    for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
      expect((await asked(one, token, LIST, headers)).status).toBe(403);
    }
    expect((await asked(one, token, LIST)).status).toBe(200);
  });

  test('[MC3] requires a JSON body no larger than a frame', async () => {
    const one = await HttpHub.open({}, { limits: { maxFrameBytes: 100_000 } });
    const token = await one.member('reviewer');
    const large = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { x: 'x'.repeat(100_000) } });
    expect((await asked(one, token, large)).status).toBe(413);
    expect((await asked(one, token, '{"jsonrpc"')).status).toBe(400);
    expect((await asked(one, token, LIST, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await asked(one, token, LIST, { accept: 'text/html' })).status).toBe(406);
  });

  test('[MC3] answers GET and DELETE, which address sessions, with 405', async () => {
    const one = await HttpHub.open();
    const token = await one.member('reviewer');
    for (const method of ['GET', 'DELETE']) {
      expect((await one.send(method, '/mcp', null, { token, headers: ACCEPT })).status).toBe(405);
      expect((await one.send(method, '/mcp', null, { headers: ACCEPT })).status).toBe(401);
    }
  });

  test('[MC3] rejects an unsupported protocol revision', async () => {
    const one = await HttpHub.open();
    const token = await one.member('reviewer');
    const answer = await asked(one, token, LIST, { 'mcp-protocol-version': '1999-01-01' });
    expect(answer.status).toBe(400);
  });

  test('[MC5] bounds max_wait of the URL', async () => {
    const one = await HttpHub.open();
    const token = await one.member('reviewer');
    for (const wrong of ['0s', '11m', 'long']) {
      const answer = await one.send('POST', `/mcp?max_wait=${wrong}`, LIST, { token, headers: ACCEPT });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('max_wait');
    }
  });

  test('[MC11] acks what is read over HTTP, so that the inbox does not fill up', async () => {
    const one = await HttpHub.open({}, { limits: { maxPending: 6 } });
    const token = await one.member('reviewer');
    const agent = await Agent.overHttp(one.port, token);
    const bob = await one.hub.agent('bob');
    const session = await agent.joins(bob, 'conversation');
    const many = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) await session.send(`${i}`);
    };
    await expect(many()).rejects.toMatchObject({ code: 'inbox_full' });
    const { messages } = await agent.value('session_read', { session: session.id });
    expect(messages.length).toBeGreaterThan(2);
    await session.send('again');
    for (let i = 0; i < 20; i++) {
      await agent.value('wait_turn', { session: session.id });
      await session.send(`${i}`);
    }
  });

  test('[MC3] limits open requests per agent without affecting others', async () => {
    const one = await HttpHub.open();
    const [token, other] = [await one.member('reviewer'), await one.member('other')];
    const agent = await Agent.overHttp(one.port, token, { maxWait: '10m' });
    let waiting = 0;
    const all = new Promise<void>((resolve) => {
      const onprogress = (): void => {
        waiting += 1;
        if (waiting === 64) resolve();
      };
      for (let i = 0; i < 64; i++) agent.call('wait_turn', {}, { onprogress }).catch(() => null);
    });
    await all;
    expect((await asked(one, token, LIST)).status).toBe(429);
    expect((await asked(one, other, LIST)).status).toBe(200);
  });

  test('[MC3] answers waiting calls immediately when the port closes', async () => {
    const one = await HttpHub.open();
    const token = await one.member('reviewer');
    const agent = await Agent.overHttp(one.port, token, { maxWait: '10m' });
    let stopped: Promise<void> | null = null;
    const onprogress = (): void => {
      stopped ??= one.hub.stop();
    };
    expect(await agent.value('wait_turn', {}, { onprogress })).toMatchObject({ status: 'waiting', call_again: true });
    await stopped;
  });
});

function asked(one: HttpHub, token: string | undefined, body: string, headers: object = {}): Promise<Answer> {
  return one.send('POST', '/mcp', body, { token, headers: { ...ACCEPT, ...headers } });
}
