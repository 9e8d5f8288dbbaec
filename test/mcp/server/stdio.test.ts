/** `parley mcp` as a process: output, shutdown, and an unstable hub. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHub, type LocalHub } from 'parley-hub';
import { afterEach, describe, expect, test } from 'vitest';
import { root } from '../../package/repository.ts';
import { HttpHub } from '../../server/http/http-hub.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { Agent, REVISIONS } from '../agent.ts';
import { joining } from '../transports.ts';

const ways = joining();
const done: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of done.splice(0).reverse()) await end();
});

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

describe('the process', () => {
  test('[MC4] writes only the protocol to stdout, and ends with stdin', async () => {
    const { token, child, bound, unbound } = await begun();
    await bound;
    child.stdin.end();
    const [code] = await once(child, 'close');
    await unbound;
    expect(code).toBe(0);
    const lines = child.out().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(child.err()).toContain('connected to');
    expect(child.err()).not.toContain(token);
    // No warning about its own end.
    expect(child.err()).not.toContain('no longer connected');
  });

  test('[MC15] publishes --capability and --summary for others to find', async () => {
    const one = await HttpHub.open();
    const { token } = await one.hub.createToken({ name: 'reviewer' });
    const who = ['--name', 'reviewer', '--url', one.url, '--token', token];
    const can = ['--capability', 'review', '--capability', 'typescript', '--summary', 'Reads code.'];
    const agent = await opened([...who, ...can]);
    const { peers } = await agent.value('peers', { capability: 'typescript' });
    expect(peers).toMatchObject([
      { name: 'reviewer', capabilities: ['review', 'typescript'], summary: 'Reads code.', you: true },
    ]);
    const notes: string[] = [];
    const onNote = (text: string): void => void notes.push(text);
    const long = await opened([...who, '--capability', 'x'.repeat(1_000)], { onNote });
    await long.value('sessions');
    expect(notes.join('')).toContain('claim rejected');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('[MC4] shuts down cleanly on %s', async (signal) => {
    const { child } = await begun();
    await once(child.stdout, 'data');
    child.kill(signal);
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
  });

  test('[MC4] ends with a message on stderr at a line that is too long, and disconnects', async () => {
    const { child, bound, unbound } = await begun();
    child.stdin.on('error', () => {});
    await bound;
    // The host keeps stdin open.
    child.stdin.write('x'.repeat(12 * 1024 * 1024));
    const [code] = await once(child, 'close');
    await unbound;
    expect(code).toBe(1);
    expect(child.err()).toContain('ended: stdin is unreadable');
  });

  test('[MC4] answers batches and invalid messages with an error, and continues', async () => {
    const child = run(['--name', 'reviewer', '--url', 'ws://127.0.0.1:9', '--token', 'x']);
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };
    const heard = new Promise<void>((resolve) => {
      child.stdout.on('data', () => child.out().includes('"id":2') && resolve());
    });
    const lines = [INITIALIZE, [list, { ...list, id: 3 }], { jsonrpc: '2.0', no: 'method' }, list];
    child.stdin.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await heard;
    child.stdin.end();
    await once(child, 'close');
    const answers = child
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const refused = answers.filter(({ id }) => id === null);
    expect(refused).toMatchObject([{ error: { code: -32600 } }, { error: { code: -32600 } }]);
    expect(refused[0].error.message).toContain('one JSON-RPC 2.0 object per line');
    expect(answers.map(({ id }) => id).filter((id) => id !== null)).toEqual([1, 2]);
  });

  test('[MC4] reports wrong options before it starts', async () => {
    for (const wait of ['0s', '11m', 'soon']) {
      const child = run(['--name', 'reviewer', '--max-wait', wait]);
      const [code] = await once(child, 'close');
      expect(code).toBe(2);
      expect(child.err()).toContain('--max-wait: expected a duration from 1s to 10m');
      expect(child.out()).toBe('');
    }
  });
});

describe.each(REVISIONS)('revision %s', (revision) => {
  test('[MC4] reports an unreachable hub in every call, and uses it once it is up', async () => {
    const folder = tempFolder('mcp');
    const first = await started(folder, 0);
    const { token } = await first.hub.createToken({ name: 'reviewer' });
    await first.hub.stop();
    const agent = await opened(given(first.url, token), { revision });
    expect((await agent.client.listTools()).tools).toHaveLength(14);
    const refusal = await agent.refusal('wait_turn');
    expect(refusal).toMatch(/^unavailable: .*unreachable.*Call it again in a few seconds/s);
    await started(folder, first.port);
    expect((await agent.value('sessions')).sessions).toEqual([]);
  });

  test('[MC4] loses nothing and posts nothing twice across a hub restart', async () => {
    const folder = tempFolder('mcp');
    const first = await started(folder, 0);
    const { token } = await first.hub.createToken({ name: 'reviewer' });
    const agent = await opened(given(first.url, token), { revision });
    await agent.value('sessions');
    const bob = await first.hub.agent('bob');
    const { id: session } = await agent.joins(bob);
    await bob.session(session).send('Before.');
    const { turn } = await agent.turn({ session });
    await agent.value('say', { session, text: 'Heard.', turn });
    await first.hub.stop();
    const second = await started(folder, first.port);
    expect(await agent.value('say', { session, text: 'Heard.', turn })).toMatchObject({ already_said: true });
    const again = await second.hub.agent('bob');
    await again.session(session).send('After.');
    expect(await agent.turn({ session })).toMatchObject({ status: 'your_turn', messages: [{ text: 'After.' }] });
  });

  test('[MC2] refuses a token of another hub in every call', async () => {
    const [a, b] = [await HttpHub.open(), await HttpHub.open()];
    const { token } = await a.hub.createToken({ name: 'reviewer' });
    const agent = await opened(given(b.url, token), { revision });
    for (const name of ['sessions', 'wait_turn', 'peers']) {
      expect(await agent.refusal(name)).toMatch(/^unauthenticated: .*ask the person who set up this server/s);
    }
    expect(b.hub.health().bound).toBe(0);
  });

  test('[MC4] explains a missing token, or one for another name', async () => {
    const one = await HttpHub.open();
    const nowhere = ['--url', one.url, '--data', tempFolder('mcp')];
    const bare = await opened(['--name', 'reviewer', ...nowhere], { revision });
    const needed = /^no token, but .* requires one\. .*PARLEY_TOKEN.*--token-file.*--data/s;
    expect(await bare.refusal('sessions')).toMatch(needed);
    const { token } = await one.hub.createToken({ name: 'webber' });
    const other = await opened(['--name', 'bob', '--url', one.url, '--token', token], { revision });
    expect(await other.refusal('sessions')).toMatch(/^the token is for "webber" only, .*--name webber/s);
  });

  test('[MC4] tells a revoked token from an unreachable hub', async () => {
    const first = await started(tempFolder('mcp'), 0);
    const { token, token_id } = await first.hub.createToken({ name: 'reviewer' });
    const other = await first.hub.createToken({ name: 'critic' });
    const agent = await opened(given(first.url, token), { revision });
    const words = ['--name', 'critic', '--url', first.url, '--token', other.token, '--max-wait', '1s'];
    const waiter = await opened(words, { revision });
    await agent.value('sessions');
    const unbound = new Promise<void>((resolve) => void first.hub.on('agentUnbound', () => resolve()));
    await first.hub.revokeToken(token_id);
    await unbound;
    expect(await agent.refusal('sessions')).toMatch(/^unauthenticated: the token .* is wrong or no longer valid/);
    await waiter.value('sessions');
    let stopped: Promise<void> | null = null;
    const onprogress = (): void => {
      stopped ??= first.hub.stop();
    };
    const found = await waiter.value('wait_turn', {}, { onprogress });
    expect(found).toMatchObject({ status: 'waiting', reason: expect.stringContaining('the hub is not answering') });
    await stopped;
  });

  test('[MC2] without --name, uses the only name of the token', async () => {
    const one = await HttpHub.open();
    const { token } = await one.hub.createToken({ name: 'webber' });
    const agent = await opened(['--url', one.url, '--token', token], { revision });
    await agent.value('sessions');
    const looker = await one.hub.agent('looker');
    const bound: string[] = [];
    for await (const { name } of looker.findAgents({ bound: true })) bound.push(name);
    expect(bound.sort()).toEqual(['looker', 'webber']);
  });

  test('[MC12] replaces the older of two with one name, which reports that and can reconnect', async () => {
    const one = await HttpHub.open();
    const { token } = await one.hub.createToken({ name: 'reviewer' });
    const older = await opened(given(one.url, token), { revision });
    const newer = await opened(given(one.url, token), { revision });
    await older.value('sessions');
    await newer.value('sessions');
    const told = await older.refusal('wait_turn');
    expect(told).toMatch(/connected .* from elsewhere.*another name \(--name\)/s);
    expect((await newer.value('sessions')).sessions).toEqual([]);
    expect((await older.value('sessions')).sessions).toEqual([]);
    expect(await newer.refusal('sessions')).toContain('from elsewhere');
  });
});

function given(url: string, token: string): readonly string[] {
  return ['--name', 'reviewer', '--url', url, '--token', token];
}

async function opened(args: readonly string[], options: Parameters<typeof Agent.overStdio>[2] = {}): Promise<Agent> {
  const agent = await Agent.overStdio(ways.script, args, options);
  done.push(() => agent.close());
  return agent;
}

/** A server process to which a host has sent `initialize`. */
async function begun() {
  const one = await HttpHub.open();
  const { token } = await one.hub.createToken({ name: 'reviewer' });
  const child = run(given(one.url, token));
  const bound = new Promise<void>((resolve) => void one.hub.on('agentBound', () => resolve()));
  const unbound = new Promise<void>((resolve) => void one.hub.on('agentUnbound', () => resolve()));
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  return { token, child, bound, unbound };
}

async function started(data: string, port: number): Promise<{ hub: LocalHub; url: string; port: number }> {
  const hub = await createHub({ data });
  done.push(() => hub.stop());
  const serving = await hub.listen({ port });
  return { hub, url: serving.url, port: serving.port };
}

function run(args: readonly string[]) {
  const child = spawn(process.execPath, [ways.script, 'mcp', ...args], { cwd: root });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return Object.assign(child, { out: () => out, err: () => err });
}
