// Ends that are easily taken for others: garbage beside an exit code, output that is held open, costs that round to nothing.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunAdapterOptions } from '../../../src/governed/index.ts';
import { anthropic, chat } from '../../participants/models/apis.ts';
import { VirtualClock } from '../../participants/models/scene.ts';
import { StubModel, status, stream } from '../../participants/models/stub-model.ts';
import { isRunning } from '../../participants/processes/programs.ts';

import { KEPT, RESULT, Scene, SECRET, TURN } from './scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => {
  expect(scene.programs.left()).toEqual([]);
  scene.remove();
});

function program(source: string, more: object = {}): { readonly type: string } {
  const file = scene.programs.file('agent.cjs', source);
  const env = { [scene.programs.mark]: '1' };
  const settings = { command: process.execPath, args: [file], prompt_transport: 'dispatch_bundle_only', env };
  return { type: 'local_cli', ...settings, ...more };
}

describe('local_cli', () => {
  it('[GA5] exit code 7 with garbage in the place of the result is a failure, and the garbage is kept', async () => {
    const source = `const fs = require('node:fs'), path = process.env.AGENTXCHAIN_STAGING_PATH;
      fs.mkdirSync(require('node:path').dirname(path), { recursive: true });
      fs.writeFileSync(path, 'Segmentation fault'); process.exitCode = 7;`;
    await scene.dispatched(program(source));
    expect(await scene.fails()).toMatchObject({ reason: 'exit_code_7', error_class: 'process_exit', exit_code: 7 });
    expect(scene.project.read(RESULT)).toBe('Segmentation fault');
  }, 30_000);

  it('[GA5] a grandchild in a group of its own that holds the output does not make a timeout longer', async () => {
    const deaf = `process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000);`;
    const source = `const { spawn } = require('node:child_process');
      const stdio = ['ignore', 'inherit', 'inherit'];
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}], { stdio, detached: true });
      require('node:fs').writeFileSync('note.json', String(child.pid));
      setInterval(() => {}, 1000);`;
    await scene.dispatched(program(source, { timeout_ms: 4_000 }));
    expect(await scene.fails()).toMatchObject({ reason: 'timeout', error_class: 'timeout', category: 'transient' });
    expect(isRunning(Number(scene.project.read('note.json')))).toBe(false);
  }, 30_000);

  it('[GA5] an agent that somebody kills outright has not run out of its time', async () => {
    await scene.dispatched(program(`process.kill(process.pid, 'SIGKILL');`, { timeout_ms: 600_000 }));
    const failure = await scene.fails();
    expect(failure).toMatchObject({ reason: 'signal_SIGKILL', error_class: 'process_killed', signal: 'SIGKILL' });
    expect(`${failure.reason} ${failure.error_class}`).not.toContain('timeout');
  }, 30_000);
});

describe('api_proxy', () => {
  let stub: StubModel;
  let clock: VirtualClock;
  beforeEach(async () => {
    clock = new VirtualClock(Date.UTC(2026, 9, 20));
    stub = await StubModel.start(() => clock.monotonic());
  });
  afterEach(() => stub.stop());

  /** Every wait between two tries passes at once. */
  function options(more: RunAdapterOptions = {}): RunAdapterOptions {
    return {
      clock,
      variables: { LAMP_KEY: SECRET, GEMINI_API_KEY: SECRET },
      write(text) {
        scene.written.push(text);
        if (/ in [\d.]+ s\n$/.test(text)) setImmediate(() => clock.toNext());
      },
      ...more,
    };
  }

  function model(provider: string, name: string, base = ''): { readonly type: string } {
    const place = { base_url: `${stub.origin}${base}`, api_key_env: 'LAMP_KEY' };
    return { type: 'api_proxy', ...{ provider, model: name }, ...place };
  }

  it('[GA1, GA9] goes out again after it failed, with the bundle as it was sealed and the request beside it', async () => {
    await scene.dispatched(model('anthropic', 'claude-sonnet-4-6'));
    stub.will(status(400, anthropic.refusal('invalid_request_error', 'no')));
    expect(await scene.fails(options())).toMatchObject({ category: 'permanent' });
    expect(JSON.parse(scene.project.read(`${KEPT}/API_REQUEST.json`))).toMatchObject({ provider: 'anthropic' });
    stub.will(stream(...anthropic.says(JSON.stringify(scene.result))));
    expect(await scene.run(options({ seal: { verifyManifest: true } }))).toMatchObject({ ok: true });
  });

  it('[GA9] the key of google is in no address, no file and no word', async () => {
    await scene.dispatched(model('google', 'gemini-2.5-flash', '/v1beta/openai'));
    stub.will(status(403, chat.refusal('PERMISSION_DENIED', `${SECRET} may not`)));
    const outcome = await scene.fails(options());
    const [asked] = stub.asked;
    expect(JSON.stringify(asked?.headers)).toContain(SECRET);
    expect(JSON.stringify({ ...asked, headers: null })).not.toContain(SECRET);
    expect(`${JSON.stringify(outcome)} ${scene.everything()}`).not.toContain(SECRET);
    expect(JSON.parse(scene.project.read(`${KEPT}/API_REQUEST.json`))).toMatchObject({ provider: 'google' });
  });

  it('[GA7] a small answer of a cheap model has its price, which is not rounded to nothing', async () => {
    await scene.dispatched(model('openai', 'gpt-4o-mini', '/v1'));
    stub.will(stream(...chat.says(JSON.stringify(scene.result))));
    const outcome = await scene.run(options());
    // 10 tokens at 0.15 and 5 at 0.60 USD for a million.
    expect(outcome).toMatchObject({ ok: true, adapter_meta: { cost_usd: 0.0000045 } });
    expect(scene.staged()).toMatchObject({ cost: { usd: 0.0000045 } });
  });

  it('[GA7] a model whose price nobody knows costs null, and not nothing', async () => {
    await scene.dispatched(model('lighthouse', 'lamp-1', '/v1'));
    stub.will(stream(...chat.says(JSON.stringify({ ...scene.result, cost: { usd: 0 } }))));
    const outcome = await scene.run(options());
    expect(outcome).toMatchObject({ ok: true, adapter_meta: { cost_usd: null, total_tokens: 15 } });
    expect(scene.staged()).toMatchObject({ turn_id: TURN, cost: { input_tokens: 10, output_tokens: 5 } });
    expect(scene.staged()).not.toHaveProperty('cost.usd');
  });
});
