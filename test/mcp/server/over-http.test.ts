/** Features of `/mcp` only: URL parameters and headers, batches, and presence. */

import { expect, test } from 'vitest';
import { type Answer, HttpHub } from '../../server/http/http-hub.ts';
import { Agent } from '../agent.ts';

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

const callOf = (id: number, name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

function asked(one: HttpHub, token: string, body: unknown, query = '', headers: object = {}): Promise<Answer> {
  return one.send('POST', `/mcp${query}`, JSON.stringify(body), { token, headers: { ...ACCEPT, ...headers } });
}

test('[MC2] rejects conflicting names in header and URL', async () => {
  const one = await HttpHub.open();
  const { token } = await one.hub.createToken({ grants: ['enrol'] });
  const differing = await asked(one, token, callOf(1, 'peers'), '?as=mallory', { 'parley-as': 'reviewer' });
  expect(differing).toMatchObject({ status: 400, body: { error: { details: { field: 'as' } } } });
  expect((await asked(one, token, callOf(1, 'peers'), '?as=a&as=b')).status).toBe(400);
  const same = await asked(one, token, callOf(1, 'peers'), '?as=reviewer', { 'parley-as': 'reviewer' });
  expect(same.text).toContain('reviewer');
});

test('[MC3] counts every call of a batch as open', async () => {
  const one = await HttpHub.open();
  const token = await one.member('reviewer');
  const old = { 'mcp-protocol-version': '2025-03-26' };
  const batch = (many: number) => Array.from({ length: many }, (_, id) => callOf(id, 'peers'));
  const tooMany = await asked(one, token, batch(65), '', old);
  expect(tooMany).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect((await asked(one, token, batch(64), '', old)).status).toBe(200);
  // Finished calls no longer count.
  expect((await asked(one, token, batch(64), '', old)).status).toBe(200);
});

test.each(['TRACE', 'PUT', 'PATCH', 'GET', 'DELETE'])('[MC3] answers %s with 405 and Allow', async (method) => {
  const one = await HttpHub.open();
  const token = await one.member('reviewer');
  const answer = await one.send(method, '/mcp', null, { token, headers: ACCEPT });
  expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' } });
});

test('[MC14] shows an agent as connected while it calls over HTTP', async () => {
  const one = await HttpHub.open();
  const [token] = [await one.member('reviewer'), await one.member('absent')];
  const bob = await one.hub.agent('bob');
  const here = async (): Promise<readonly string[]> => {
    const found = [];
    for await (const { name } of bob.findAgents({ bound: true })) found.push(name);
    return found;
  };
  expect(await here()).toEqual(['bob']);
  const agent = await Agent.overHttp(one.port, token);
  const { peers } = await agent.value('peers');
  expect(peers.map(({ name, connected }: never) => [name, connected])).toEqual([
    ['absent', false],
    ['bob', true],
    ['reviewer', true],
  ]);
  expect(await here()).toEqual(['bob', 'reviewer']);
});

test('[MC15] takes claims from the URL for new and known names', async () => {
  const one = await HttpHub.open();
  const { token } = await one.hub.createToken({ name: 'reviewer' });
  const bob = await one.hub.agent('bob');
  const says = async () => {
    const { claimed_capabilities, summary, version } = await bob.resume('reviewer');
    return { claimed_capabilities, summary, version };
  };
  await asked(one, token, callOf(1, 'peers'), '?capability=review&capability=typescript&summary=Reads%20code');
  const first = { claimed_capabilities: ['review', 'typescript'], summary: 'Reads code', version: 1 };
  expect(await says()).toEqual(first);
  await asked(one, token, callOf(1, 'peers'), '?capability=review&capability=typescript');
  await asked(one, token, callOf(1, 'peers'));
  expect(await says()).toEqual(first);
  await asked(one, token, callOf(1, 'peers'), '?capability=review');
  expect(await says()).toEqual({ ...first, claimed_capabilities: ['review'], version: 2 });
});
