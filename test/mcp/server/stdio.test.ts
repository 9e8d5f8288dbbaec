/** `parley mcp` as the process it is: what it writes, how it ends, and a hub that comes and goes. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub, type LocalHub } from 'parley-hub';
import { afterEach, describe, expect, test } from 'vitest';
import { root } from '../../package/repository.ts';
import { HttpHub } from '../../server/http/http-hub.ts';
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
  test('[MC4] there is nothing but the protocol on stdout, and it ends with stdin', async () => {
    const one = await HttpHub.open();
    const { token } = await one.hub.createToken({ name: 'reviewer' });
    const child = run(['--name', 'reviewer', '--url', one.url, '--token', token]);
    const bound = new Promise<void>((resolve) => void one.hub.on('agentBound', () => resolve()));
    const unbound = new Promise<void>((resolve) => void one.hub.on('agentUnbound', () => resolve()));
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    await bound;
    child.stdin.end();
    const [code] = await once(child, 'close');
    await unbound;
    expect(code).toBe(0);
    const lines = child.out().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(child.err()).toContain('connected to');
    expect(child.err()).not.toContain(token);
    // Its own end is nothing to be warned of.
    expect(child.err()).not.toContain('no longer connected');
  });

  test('[MC15] what it can do is said with --capability and --summary, and found by others', async () => {
    const one = await HttpHub.open();
    const { token } = await one.hub.createToken({ name: 'reviewer' });
    const who = ['--name', 'reviewer', '--url', one.url, '--token', token];
    const can = ['--capability', 'review', '--capability', 'typescript', '--summary', 'Reads code.'];
    const agent = await Agent.overStdio(ways.script, [...who, ...can]);
    done.push(() => agent.close());
    const { peers } = await agent.value('peers', { capability: 'typescript' });
    expect(peers).toMatchObject([
      { name: 'reviewer', capabilities: ['review', 'typescript'], summary: 'Reads code.', you: true },
    ]);
    const notes: string[] = [];
    const onNote = (text: string): void => void notes.push(text);
    const long = await Agent.overStdio(ways.script, [...who, '--capability', 'x'.repeat(1_000)], { onNote });
    done.push(() => long.close());
    await long.value('sessions');
    expect(notes.join('')).toContain('what it can do was not taken');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('[MC4] %s ends it in good order', async (signal) => {
    const one = await HttpHub.open();
    const { token } = await one.hub.createToken({ name: 'reviewer' });
    const child = run(['--name', 'reviewer', '--url', one.url, '--token', token]);
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    await once(child.stdout, 'data');
    child.kill(signal);
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
  });

  test('[MC4] a line that is longer than it takes ends it with a word on stderr, and leaves nobody connected', async () => {
    const one = await HttpHub.open();
    const { token } = await one.hub.createToken({ name: 'reviewer' });
    const child = run(['--name', 'reviewer', '--url', one.url, '--token', token]);
    const unbound = new Promise<void>((resolve) => void one.hub.on('agentUnbound', () => resolve()));
    const bound = new Promise<void>((resolve) => void one.hub.on('agentBound', () => resolve()));
    child.stdin.on('error', () => {});
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    await bound;
    // Its host keeps stdin open.
    child.stdin.write('x'.repeat(12 * 1024 * 1024));
    const [code] = await once(child, 'close');
    await unbound;
    expect(code).toBe(1);
    expect(child.err()).toContain('ended: what came on stdin could not be followed');
  });

  test('[MC4] several messages in one line, or what is no message, get an error, and it goes on', async () => {
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
    expect(refused[0].error.message).toContain('one message in a line');
    expect(answers.map(({ id }) => id).filter((id) => id !== null)).toEqual([1, 2]);
  });

  test('[MC4] what it is asked wrongly is said before it begins', async () => {
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
  test('[MC4] while there is no hub each call says so and how to go on; when there is one, it is used', async () => {
    const folder = await temporary();
    const first = await started(folder, 0);
    const { token } = await first.hub.createToken({ name: 'reviewer' });
    await first.hub.stop();
    const agent = await Agent.overStdio(ways.script, given(first.url, token), { revision });
    done.push(() => agent.close());
    expect((await agent.client.listTools()).tools).toHaveLength(14);
    const refusal = await agent.refusal('wait_turn');
    expect(refusal).toMatch(/^unavailable: .*cannot be reached.*Call it again in a few seconds/s);
    await started(folder, first.port);
    expect((await agent.value('sessions')).sessions).toEqual([]);
  });

  test('[MC4] the hub is restarted while it runs: nothing is lost, and nothing is said twice', async () => {
    const folder = await temporary();
    const first = await started(folder, 0);
    const { token } = await first.hub.createToken({ name: 'reviewer' });
    const agent = await Agent.overStdio(ways.script, given(first.url, token), { revision });
    done.push(() => agent.close());
    await agent.value('sessions');
    const bob = await first.hub.agent('bob');
    const { id: session } = await bob.open('discussion', { participants: ['reviewer'], wait: 'created' });
    await agent.value('accept_invite', { session });
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

  test('[MC2] a token of another hub is refused in every call, and told as such', async () => {
    const [a, b] = [await HttpHub.open(), await HttpHub.open()];
    const { token } = await a.hub.createToken({ name: 'reviewer' });
    const agent = await Agent.overStdio(ways.script, given(b.url, token), { revision });
    done.push(() => agent.close());
    for (const name of ['sessions', 'wait_turn', 'peers']) {
      expect(await agent.refusal(name)).toMatch(/^unauthenticated: .*ask whoever set this server up/s);
    }
    expect(b.hub.health().bound).toBe(0);
  });

  test('[MC4] without a token, or with one for another name, it is said what is missing and where it is given', async () => {
    const one = await HttpHub.open();
    const nowhere = ['--url', one.url, '--data', await temporary()];
    const bare = await Agent.overStdio(ways.script, ['--name', 'reviewer', ...nowhere], { revision });
    done.push(() => bare.close());
    expect(await bare.refusal('sessions')).toMatch(
      /^no token was given, and .* needs one\. .*PARLEY_TOKEN.*--token-file.*--data/s,
    );
    const { token } = await one.hub.createToken({ name: 'webber' });
    const other = await Agent.overStdio(ways.script, ['--name', 'bob', '--url', one.url, '--token', token], {
      revision,
    });
    done.push(() => other.close());
    expect(await other.refusal('sessions')).toMatch(/^the token speaks for "webber" alone, .*--name webber/s);
  });

  test('[MC4] a token that is revoked is told as one that no longer holds; a hub that is away, as away', async () => {
    const first = await started(await temporary(), 0);
    const { token, token_id } = await first.hub.createToken({ name: 'reviewer' });
    const other = await first.hub.createToken({ name: 'critic' });
    const agent = await Agent.overStdio(ways.script, given(first.url, token), { revision });
    const words = ['--name', 'critic', '--url', first.url, '--token', other.token, '--max-wait', '1s'];
    const waiter = await Agent.overStdio(ways.script, words, { revision });
    done.push(
      () => agent.close(),
      () => waiter.close(),
    );
    await agent.value('sessions');
    const unbound = new Promise<void>((resolve) => void first.hub.on('agentUnbound', () => resolve()));
    await first.hub.revokeToken(token_id);
    await unbound;
    expect(await agent.refusal('sessions')).toMatch(/^unauthenticated: the token .* is wrong, or no longer holds/);
    await waiter.value('sessions');
    let stopped: Promise<void> | null = null;
    const onprogress = (): void => {
      stopped ??= first.hub.stop();
    };
    const found = await waiter.value('wait_turn', {}, { onprogress });
    expect(found).toMatchObject({ status: 'waiting', reason: expect.stringContaining('the hub does not answer') });
    await stopped;
  });

  test('[MC2] whose name is not said speaks for the one name of its token', async () => {
    const one = await HttpHub.open();
    const { token } = await one.hub.createToken({ name: 'webber' });
    const agent = await Agent.overStdio(ways.script, ['--url', one.url, '--token', token], { revision });
    done.push(() => agent.close());
    await agent.value('sessions');
    const looker = await one.hub.agent('looker');
    const bound: string[] = [];
    for await (const { name } of looker.findAgents({ bound: true })) bound.push(name);
    expect(bound.sort()).toEqual(['looker', 'webber']);
  });

  test('[MC12] of two with one name the newer goes on; the older is told, and may bring it back', async () => {
    const one = await HttpHub.open();
    const { token } = await one.hub.createToken({ name: 'reviewer' });
    const [older, newer] = [
      await Agent.overStdio(ways.script, given(one.url, token), { revision }),
      await Agent.overStdio(ways.script, given(one.url, token), { revision }),
    ];
    done.push(
      () => older.close(),
      () => newer.close(),
    );
    await older.value('sessions');
    await newer.value('sessions');
    const told = await older.refusal('wait_turn');
    expect(told).toMatch(/was connected .* from elsewhere.*another name \(--name\)/s);
    expect((await newer.value('sessions')).sessions).toEqual([]);
    expect((await older.value('sessions')).sessions).toEqual([]);
    expect(await newer.refusal('sessions')).toContain('from elsewhere');
  });
});

function given(url: string, token: string): readonly string[] {
  return ['--name', 'reviewer', '--url', url, '--token', token];
}

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-mcp-'));
  done.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
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
