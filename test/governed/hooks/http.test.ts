// HTTP hooks against a server that misbehaves on request.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runHooks } from '../../../src/governed/index.ts';
import { call, Project } from './project.ts';

interface Asked {
  readonly url: string | undefined;
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let project: Project;
let server: Server;
let base: string;
let asked: Asked[] = [];

beforeAll(async () => {
  project = new Project();
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { url, method, headers } = request;
    asked.push({ url, method, headers, body });
    if (url === '/allow') response.end('{"verdict":"allow"}');
    else if (url === '/away') response.writeHead(302, { location: `${base}/allow` }).end('{"verdict":"allow"}');
    else if (url === '/broken') response.writeHead(500).end('{"verdict":"allow"}');
    else if (url === '/endless') for (let n = 0; n < 40; n++) response.write('x'.repeat(16 * 1024));
    else if (url === '/stalled') response.write('{"verdict":');
    else if (url === '/silent') return;
    else response.end('fine');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  project.remove();
});

it('[GH6] posts the envelope once, with expanded header variables that are never written', async () => {
  const hook = call(`${base}/allow`, { headers: { 'x-key': 'k-${' + 'LAMP_KEY}' } });
  const options = { variables: { LAMP_KEY: 'hush-hush' } };
  const ran = await runHooks(project.root, { before_gate: [hook] }, 'before_gate', { a: 1 }, options);
  expect(ran.results).toMatchObject([{ transport: 'http', verdict: 'allow', exit_code: null, timed_out: false }]);
  expect(asked).toHaveLength(1);
  const headers = { 'x-key': 'k-hush-hush', 'content-type': 'application/json' };
  expect(asked[0]).toMatchObject({ method: 'POST', headers });
  const envelope = { hook_phase: 'before_gate', hook_name: 'call', payload: { a: 1 } };
  expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject(envelope);
  expect(project.read('.agentxchain/hook-audit.jsonl')).not.toContain('hush');
});

it.each([
  ['fails on another status, whatever the body', 'broken', 'blocked_failure', 'HTTP 500'],
  ['does not follow redirects', 'away', 'blocked_failure', 'HTTP 302'],
  ['fails on a body that is too large', 'endless', 'blocked_failure', 'answered with more than 262144 bytes'],
  ['rejects an answer that is not JSON', 'fine', 'blocked_invalid_output', 'output: expected one JSON object'],
])('[GH6] %s', async (_, path, action, message) => {
  const ran = await runHooks(project.root, { before_gate: [call(`${base}/${path}`)] }, 'before_gate', {});
  expect(ran.blocker).toMatchObject({ orchestrator_action: action, message });
  expect(asked.map(({ url }) => url)).toEqual([`/${path}`]);
});

it.each(['silent', 'stalled'])('[GH6] applies the timeout to the body too: %s service', async (path) => {
  const hook = call(`${base}/${path}`, { timeout_ms: 100 });
  const ran = await runHooks(project.root, { before_gate: [hook] }, 'before_gate', {});
  expect(ran.blocker).toMatchObject({ orchestrator_action: 'blocked_timeout', timed_out: true });
});
