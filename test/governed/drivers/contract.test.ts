// Rules of every driver: dispatch, results and failures.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRuntimeDriver, dispatchAnswer, runTurnWithDriver, verifyManifest } from '../../../src/governed/index.ts';
import { BUNDLE, KEPT, RESULT, Scene, TURN } from './scene.ts';

const scene = Scene.fresh();

/** Stages its result and ends with exit code 0. */
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
  it('that changed after it was sealed is not dispatched', async () => {
    await scene.dispatched(agent());
    scene.project.write(`${BUNDLE}/PROMPT.md`, 'Do something else.');
    const failure = await scene.fails();
    expect(failure).toMatchObject({ error_class: 'bundle_refused', category: 'permanent', blocked: true });
    expect(failure.detail).toContain('digest_mismatch PROMPT.md');
    expect(scene.staged()).toBeNull();
  });

  it('without its seal is dispatched only if no digest is known and none is required', async () => {
    await scene.dispatched(agent());
    rmSync(join(scene.root, BUNDLE, 'MANIFEST.json'));
    expect(await scene.fails()).toMatchObject({ error_class: 'bundle_refused' });
    const unsealed = await scene.fails({ digest: undefined, seal: { verifyManifest: true } });
    expect(unsealed).toMatchObject({ error_class: 'bundle_refused' });
    const variables = { RESULT: JSON.stringify(scene.result) };
    expect(await scene.run({ digest: undefined, variables })).toMatchObject({ ok: true });
  });

  it('with an unreadable assignment or turn id is bundle_unreadable', async () => {
    await scene.dispatched(agent());
    const seal = { skipManifestVerification: true };
    scene.project.write(`${BUNDLE}/ASSIGNMENT.json`, '[]');
    expect(await scene.fails({ seal })).toMatchObject({ error_class: 'bundle_unreadable' });
    const turn = { ...scene.turn, turn_id: '../../x' };
    const outcome = await runTurnWithDriver(scene.root, scene.config, turn, { seal });
    expect(outcome).toMatchObject({ ok: false, error_class: 'bundle_unreadable' });
  });

  it('still matches its seal after the turn', async () => {
    await scene.dispatched(agent());
    await scene.run({ variables: { RESULT: JSON.stringify(scene.result) } });
    expect(await verifyManifest(scene.root, { turnId: TURN, digest: scene.digest })).toMatchObject({ ok: true });
  });
});

describe('[GA1] a driver', () => {
  it('of an unknown type is refused with the known types', async () => {
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
  ])('%o is refused with the place of the fault', async (runtime, place) => {
    await scene.dispatched(runtime);
    const failure = await scene.fails({ variables: { ANTHROPIC_API_KEY: 'k' } });
    expect(failure).toMatchObject({ error_class: 'bad_settings', category: 'permanent', blocked: true });
    expect(failure.detail).toContain(`runtimes.bench.${place}`);
  });

  it('is created by role or by turn', async () => {
    await scene.dispatched({ type: 'manual' });
    for (const roleOrTurn of ['lead', scene.turn]) {
      const created = await createRuntimeDriver(scene.root, scene.config, roleOrTurn);
      expect(created).toMatchObject({ ok: true, adapter: { name: 'manual' } });
    }
  });

  it.each(['manual', 'local_cli', 'api_proxy', 'mcp', 'remote_agent'])(
    '%s waits only for a turn that it dispatched',
    async (type) => {
      const settings = { command: 'x', provider: 'ollama', model: 'm', url: 'http://127.0.0.1:9/' };
      await scene.dispatched({ type, ...settings });
      const created = await createRuntimeDriver(scene.root, scene.config, scene.turn);
      if (!created.ok) throw new Error(created.detail);
      expect(created.adapter.name).toBe(type);
      const waited = await created.adapter.wait('turn_other', 1_000);
      expect(waited).toMatchObject({ status: 'failed', reason: 'not_dispatched' });
    },
  );
});

describe('[GA1] a result', () => {
  it('staged by the agent itself is left unchanged', async () => {
    await scene.dispatched(agent());
    const text = JSON.stringify(scene.result);
    const outcome = await scene.run({ variables: { RESULT: text } });
    expect(outcome).toEqual({ ok: true, turnResult: scene.result });
    expect(scene.project.read(RESULT)).toBe(text);
    expect(dispatchAnswer(outcome)).toEqual({ accept: true, turnResult: scene.result });
  });

  it('that cannot be staged is an io_error', async () => {
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
  it('is saved beside the bundle with the staged file, one folder per attempt', async () => {
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
    const second = JSON.parse(scene.project.read(`${KEPT.replace('-1', '-2')}/adapter-error.json`));
    expect(second).toMatchObject({ exit_code: 1 });
    expect(scene.project.read(`${KEPT}/staged-result.json`)).toBe('{"half\n');
  });

  it('that is permanent blocks the run; any other rejects the turn', async () => {
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
    'of %s is aborted if it was cancelled before it began',
    async (type) => {
      await scene.dispatched({ type });
      const failure = await scene.fails({ signal: AbortSignal.abort() });
      expect(failure).toMatchObject({ reason: 'aborted', category: 'transient', blocked: false });
    },
  );
});
