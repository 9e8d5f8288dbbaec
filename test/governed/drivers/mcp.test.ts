// The mcp driver against a server of the SDK, over stdio and HTTP.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { root } from '../../package/repository.ts';
import { eventually, isRunning } from '../../participants/processes/programs.ts';
import { itDeep } from '../../support/size.ts';
import { BUNDLE, KEPT, RESULT, type Runtime, Scene, SECRET, TURN } from './scene.ts';

const SERVER = join(root, 'test/governed/drivers/mcp-server.mjs');

const scene = Scene.fresh();
let server: ChildProcess | null = null;
afterEach(async () => {
  if (server !== null && server.exitCode === null) {
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
  server = null;
});

const noteFile = (): string => join(scene.root, 'note.json');
const note = () => JSON.parse(scene.project.read('note.json'));

function onStdio(how: string, more: object = {}): Runtime {
  const env = { [scene.programs.mark]: '1', NOTE: noteFile(), ...('env' in more ? (more.env as object) : {}) };
  return { type: 'mcp', transport: 'stdio', command: process.execPath, args: [SERVER, how], ...more, env };
}

async function overHttp(how: string, more: object = {}, token = ''): Promise<Runtime> {
  const env = { ...process.env, NOTE: noteFile(), TOKEN: token };
  server = spawn(process.execPath, [SERVER, how, 'http'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [port] = await once(server.stdout as NonNullable<typeof server.stdout>, 'data');
  return { type: 'mcp', transport: 'streamable_http', url: `http://127.0.0.1:${Number(port)}/mcp`, ...more };
}

const ways = [
  ['stdio', async (how: string, more: object = {}) => onStdio(how, more)],
  ['streamable_http', (how: string, more: object = {}) => overHttp(how, more)],
] as const;

describe.each(ways)('[GA10] over %s', (_, runtime) => {
  itDeep('reports a missing tool with the available tools', async () => {
    await scene.dispatched(await runtime('other'));
    const failure = await scene.fails();
    expect(failure).toMatchObject({ error_class: 'tool_not_found', category: 'permanent', blocked: true });
    expect(failure.detail).toContain('trim_wick');
  });

  itDeep('reports the message of a failed tool', async () => {
    await scene.dispatched(await runtime('error'));
    const failure = await scene.fails();
    expect(failure).toMatchObject({ error_class: 'tool_failed', blocked: true });
    expect(failure.detail).toContain('no oil');
  });

  itDeep('rejects plain text as a result', async () => {
    await scene.dispatched(await runtime('words'));
    expect(await scene.fails()).toMatchObject({ error_class: 'turn_result_extraction_failure', category: 'parse' });
    expect(scene.staged()).toBeNull();
  });

  itDeep('fails immediately when the server disconnects', async () => {
    await scene.dispatched(await runtime('leaves'));
    expect(await scene.fails()).toMatchObject({ error_class: 'network_failure', category: 'transient' });
  });

  itDeep('times out after silence', async () => {
    await scene.dispatched(await runtime('hangs', { timeout_ms: 4_000 }));
    expect(await scene.fails()).toMatchObject({ reason: 'timeout', error_class: 'timeout', category: 'transient' });
  });

  itDeep('restarts the timeout on progress', async () => {
    await scene.dispatched(await runtime('progress', { timeout_ms: 4_000 }));
    expect(await scene.run()).toMatchObject({ ok: true, turnResult: { turn_id: TURN } });
  });

  itDeep('ends endless progress at total_timeout_ms', async () => {
    await scene.dispatched(await runtime('endless', { timeout_ms: 4_000, total_timeout_ms: 6_000 }));
    expect(await scene.fails()).toMatchObject({
      reason: 'timeout',
      detail: expect.stringContaining('total_timeout_ms'),
    });
  });

  itDeep('can be cancelled', async () => {
    await scene.dispatched(await runtime('hangs'));
    const isNoted = () => existsSync(noteFile());
    const failure = await scene.cancels(() => eventually(isNoted, (isThere) => isThere));
    expect(failure).toMatchObject({ reason: 'aborted', blocked: false });
  });

  itDeep('passes the paths and texts to the tool and stages its structured answer', async () => {
    await scene.dispatched(await runtime('structured'));
    expect(await scene.run()).toMatchObject({ ok: true, turnResult: { turn_id: TURN, summary: 'Lit.' } });
    expect(scene.staged()).toMatchObject({ summary: 'Lit.' });
    const folder = join(scene.root, BUNDLE);
    expect(note().given).toEqual({
      ...{ run_id: 'run_lamp', turn_id: TURN, role: 'builder', phase: 'implementation', runtime_id: 'bench' },
      project_root: scene.root,
      dispatch_dir: folder,
      assignment_path: `${folder}/ASSIGNMENT.json`,
      prompt_path: `${folder}/PROMPT.md`,
      context_path: `${folder}/CONTEXT.md`,
      staging_path: join(scene.root, RESULT),
      prompt: scene.project.read(`${BUNDLE}/PROMPT.md`),
      context: scene.project.read(`${BUNDLE}/CONTEXT.md`),
    });
  });

  itDeep('accepts JSON text as a result', async () => {
    await scene.dispatched(await runtime('text'));
    expect(await scene.run()).toMatchObject({ ok: true, turnResult: { summary: 'Lit.' } });
  });
});

describe('[GA10] a server on stdio', () => {
  it.each([
    ['no-such-program-here', [], 'spawn_failed'],
    [process.execPath, [SERVER, 'dies'], 'network_failure'],
  ])('that does not start is a failure: %s %j', async (command, args, error_class) => {
    await scene.dispatched({ type: 'mcp', command, args });
    expect(await scene.fails()).toMatchObject({ error_class });
  });

  it('that stays silent is ended at the timeout', async () => {
    await scene.dispatched(onStdio('mute', { timeout_ms: 1_000 }));
    expect(await scene.fails()).toMatchObject({ reason: 'timeout' });
  });

  itDeep.each(['grandchild', 'deaf'])('is ended with its process tree, even if it ignores signals: %s', async (how) => {
    await scene.dispatched(onStdio(how, { timeout_ms: 4_000 }));
    const outcome = await scene.run();
    expect(outcome.ok).toBe(how === 'grandchild');
    expect(note().map(isRunning)).toEqual([false, false]);
  });

  it('may name its tool differently', async () => {
    await scene.dispatched(onStdio('structured', { tool_name: 'light_lamp', env: { TOOL: 'light_lamp' } }));
    expect(await scene.run()).toMatchObject({ ok: true });
  });

  it('is not started if a variable is missing', async () => {
    await scene.dispatched(onStdio('grandchild', { env: { WICK: '${WICK}' } }));
    expect(await scene.fails({ variables: {} })).toMatchObject({ error_class: 'unset_variable', blocked: true });
    expect(existsSync(noteFile())).toBe(false);
  });

  itDeep.each(['error', 'hangs'])('shows no secret: %s', async (how) => {
    await scene.dispatched(onStdio(how, { env: { WICK: '${WICK}' }, timeout_ms: 4_000 }));
    const failure = await scene.fails({ variables: { WICK: SECRET } });
    expect(`${JSON.stringify(failure)} ${scene.everything()}`).not.toContain(SECRET);
    if (how === 'hangs') expect(scene.project.read(`${KEPT}/stderr.log`)).toContain('waiting with [secret]');
  });
});

describe('[GA10] a server over HTTP', () => {
  it('that is unreachable is a network_failure', async () => {
    await scene.dispatched({ type: 'mcp', url: 'http://127.0.0.1:9/mcp' });
    expect(await scene.fails()).toMatchObject({ error_class: 'network_failure', category: 'transient' });
  });

  it('gets headers with expanded variables, which are shown nowhere else', async () => {
    const headers = { authorization: 'Bearer ${WICK}' };
    await scene.dispatched(await overHttp('structured', { headers }, SECRET));
    expect(await scene.fails({ variables: {} })).toMatchObject({ error_class: 'unset_variable' });
    const wrong = await scene.fails({ variables: { WICK: 'another-wick-value' } });
    expect(wrong).toMatchObject({ error_class: 'auth_failure', blocked: true });
    expect(`${JSON.stringify(wrong)} ${scene.everything()}`).not.toContain('another-wick-value');
    expect(await scene.run({ variables: { WICK: SECRET } })).toMatchObject({ ok: true });
  });

  it('that redirects is not followed', async () => {
    const runtime = await overHttp('structured');
    await scene.dispatched({ ...runtime, url: String(runtime.url).replace('/mcp', '/elsewhere') });
    expect(await scene.fails()).toMatchObject({ error_class: 'redirected', blocked: true });
    expect(existsSync(noteFile())).toBe(false);
  });
});
