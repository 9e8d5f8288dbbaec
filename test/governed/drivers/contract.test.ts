// What holds for every adapter: what goes out, what comes back, and what is told when nothing does.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRuntimeDriver, dispatchAnswer, runTurnWithDriver, verifyManifest } from '../../../src/governed/index.ts';
import { BUNDLE, KEPT, RESULT, Scene, TURN } from './scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => scene.remove());

/** Stages its result and ends well. */
function agent(): { readonly type: string; readonly [setting: string]: unknown } {
  const script = `import { mkdirSync, writeFileSync } from 'node:fs';
    import { dirname } from 'node:path';
    const path = process.env.AGENTXCHAIN_STAGING_PATH;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, process.env.RESULT);`;
  return {
    type: 'local_cli',
    command: process.execPath,
    args: ['--input-type=module', '-e', script],
    env: { RESULT: '${RESULT}' },
  };
}

describe('[GA1] a bundle', () => {
  it('that was changed after it was sealed goes out to nobody', async () => {
    await scene.dispatched(agent());
    scene.project.write(`${BUNDLE}/PROMPT.md`, 'Do something else.');
    const failure = await scene.fails();
    expect(failure).toMatchObject({ error_class: 'bundle_refused', category: 'permanent', blocked: true });
    expect(failure.detail).toContain('digest_mismatch PROMPT.md');
    expect(scene.staged()).toBeNull();
  });

  it('that has lost its seal goes out where nobody knows of one, and not where one is asked for', async () => {
    await scene.dispatched(agent());
    rmSync(join(scene.root, BUNDLE, 'MANIFEST.json'));
    expect(await scene.fails()).toMatchObject({ error_class: 'bundle_refused' });
    expect(await scene.fails({ digest: undefined, seal: { verifyManifest: true } })).toMatchObject({
      error_class: 'bundle_refused',
    });
    const variables = { RESULT: JSON.stringify(scene.result) };
    expect(await scene.run({ digest: undefined, variables })).toMatchObject({ ok: true });
  });

  it('of another turn, or of none, is told as what it is', async () => {
    await scene.dispatched(agent());
    const seal = { skipManifestVerification: true };
    scene.project.write(`${BUNDLE}/ASSIGNMENT.json`, '[]');
    expect(await scene.fails({ seal })).toMatchObject({ error_class: 'bundle_unreadable' });
    const turn = { ...scene.turn, turn_id: '../../x' };
    expect(await runTurnWithDriver(scene.root, scene.config, turn, { seal })).toMatchObject({
      ok: false,
      error_class: 'bundle_unreadable',
    });
  });

  it('is as it was sealed after the turn, whatever came about meanwhile', async () => {
    await scene.dispatched(agent());
    await scene.run({ variables: { RESULT: JSON.stringify(scene.result) } });
    expect(await verifyManifest(scene.root, { turnId: TURN, digest: scene.digest })).toMatchObject({ ok: true });
  });
});

describe('[GA1] an adapter', () => {
  it('that there is not is told with those there are', async () => {
    await scene.dispatched({ type: 'manual' }, { adapters: { mine: { module: './m.js' } } });
    scene.config = { ...scene.config, runtimes: { bench: { type: 'telepathy' } } };
    const failure = await scene.fails();
    expect(failure).toMatchObject({ error_class: 'unknown_adapter', blocked: true });
    expect(failure.detail).toContain('manual, local_cli, api_proxy, mcp, remote_agent, mine');
  });

  it.each([
    [{ type: 'manual', timeout_ms: 0 }, 'timeout_ms'],
    [{ type: 'local_cli' }, 'command'],
    [{ type: 'local_cli', command: 'x', prompt_transport: 'pigeon' }, 'prompt_transport'],
    [{ type: 'local_cli', command: 'x', env: { A: 1 } }, 'env.A'],
    [{ type: 'api_proxy', provider: 'anthropic' }, 'model'],
    [{ type: 'mcp', transport: 'smoke' }, 'transport'],
    [{ type: 'mcp' }, 'command'],
    [{ type: 'mcp', url: 'file:///etc/passwd' }, 'url'],
    [{ type: 'remote_agent', url: 'ftp://example.com' }, 'url'],
  ])('%o is refused with the place of what is wrong', async (runtime, place) => {
    await scene.dispatched(runtime);
    const failure = await scene.fails({ variables: { ANTHROPIC_API_KEY: 'k' } });
    expect(failure).toMatchObject({ error_class: 'bad_settings', category: 'permanent', blocked: true });
    expect(failure.detail).toContain(`runtimes.bench.${place}`);
  });

  it('is asked for by role as well as by turn', async () => {
    await scene.dispatched({ type: 'manual' });
    expect(await createRuntimeDriver(scene.root, scene.config, 'lead')).toMatchObject({
      ok: true,
      adapter: { name: 'manual' },
    });
    expect(await createRuntimeDriver(scene.root, scene.config, scene.turn)).toMatchObject({ ok: true });
  });

  it.each(['manual', 'local_cli', 'api_proxy', 'mcp', 'remote_agent'])(
    '%s waits for nothing that it was not given',
    async (type) => {
      const settings = { command: 'x', provider: 'ollama', model: 'm', url: 'http://127.0.0.1:9/' };
      await scene.dispatched({ type, ...settings });
      const created = await createRuntimeDriver(scene.root, scene.config, scene.turn);
      if (!created.ok) throw new Error(created.detail);
      expect(created.adapter.name).toBe(type);
      expect(await created.adapter.wait('turn_other', 1_000)).toMatchObject({
        status: 'failed',
        reason: 'not_dispatched',
      });
    },
  );
});

describe('[GA1] a result', () => {
  it('that was staged by who made it is left as it was written', async () => {
    await scene.dispatched(agent());
    const text = JSON.stringify(scene.result);
    const outcome = await scene.run({ variables: { RESULT: text } });
    expect(outcome).toEqual({ ok: true, turnResult: scene.result });
    expect(scene.project.read(RESULT)).toBe(text);
    expect(dispatchAnswer(outcome)).toEqual({ accept: true, turnResult: scene.result });
  });

  it('that cannot be staged is told', async () => {
    scene.project.write(
      'mine.mjs',
      `export const mine = { name: 'mine', async dispatch() {},
      async wait() { return { status: 'completed', data: null }; }, async collect() { return { schema_version: '1.0' }; } };`,
    );
    await scene.dispatched({ type: 'mine' }, { adapters: { mine: { module: './mine.mjs' } } });
    mkdirSync(join(scene.root, RESULT), { recursive: true });
    expect(await scene.fails()).toMatchObject({ error_class: 'io_error' });
  });
});

describe('[GA2] a failure', () => {
  it('is kept beside the bundle, with what was staged, attempt by attempt', async () => {
    const script =
      'mkdir -p "$(dirname "$AGENTXCHAIN_STAGING_PATH")"; echo "{\\"half" > "$AGENTXCHAIN_STAGING_PATH"; exit 7';
    await scene.dispatched({ type: 'local_cli', command: 'sh', args: ['-c', script] });
    const failure = await scene.fails();
    expect(JSON.parse(scene.project.read(`${KEPT}/adapter-error.json`))).toEqual(
      JSON.parse(JSON.stringify({ ...failure, ok: undefined })),
    );
    expect(scene.project.read(`${KEPT}/staged-result.json`)).toBe('{"half\n');
    expect(scene.project.read(RESULT)).toBe('{"half\n');
    await scene.dispatched({ type: 'local_cli', command: 'false' }, {}, 2);
    await scene.fails();
    expect(JSON.parse(scene.project.read(`${KEPT.replace('-1', '-2')}/adapter-error.json`))).toMatchObject({
      exit_code: 1,
    });
    expect(scene.project.read(`${KEPT}/staged-result.json`)).toBe('{"half\n');
  });

  it('that somebody has to mend blocks the run; another one rejects the turn', async () => {
    await scene.dispatched({ type: 'local_cli', command: 'no-such-program-here' });
    expect(dispatchAnswer(await scene.run())).toMatchObject({
      accept: false,
      blocked: true,
      blockedOn: 'dispatch:spawn_failed',
      recovery: expect.stringContaining('Install'),
    });
    await scene.dispatched({ type: 'local_cli', command: 'true' });
    const answer = dispatchAnswer(await scene.run());
    expect(answer).toEqual({ accept: false, reason: expect.stringMatching(/^no_result: true ended with exit code 0/) });
  });

  it.each(['manual', 'local_cli', 'api_proxy', 'mcp', 'remote_agent'])(
    'of %s is that nobody waits, if it was cancelled before it began',
    async (type) => {
      await scene.dispatched({ type });
      expect(await scene.fails({ signal: AbortSignal.abort() })).toMatchObject({
        reason: 'aborted',
        category: 'transient',
        blocked: false,
      });
    },
  );
});
