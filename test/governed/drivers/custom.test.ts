// Custom drivers: any behaviour becomes an outcome of the turn.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TurnResult } from 'parley-hub/governed/engine';
import { describe, expect, it } from 'vitest';
import type { DispatchBundle, RuntimeDriver } from '../../../src/governed/index.ts';
import { VirtualClock } from '../../participants/models/scene.ts';
import { Scene, SECRET, TURN } from './scene.ts';

const scene = Scene.fresh();

async function out(source: string, module = './adapters/mine.mjs', settings: object = {}): Promise<void> {
  scene.project.write('adapters/mine.mjs', source);
  await scene.dispatched({ type: 'mine', ...settings }, { adapters: { mine: { module } } });
}

/** A working driver with some steps replaced. */
function mine(steps: { dispatch?: string; wait?: string; collect?: string } = {}): string {
  const { dispatch = '', wait = `return { status: 'completed', data: this.bundle };`, collect = '' } = steps;
  return `export class Mine {
    name = 'mine';
    constructor(settings, { root }) { this.settings = settings; this.root = root; }
    async dispatch(bundle) { this.bundle = bundle; ${dispatch} }
    async wait(turnId, timeoutMs, signal) { ${wait} }
    async collect(turnId, raw) { ${collect} return { schema_version: '1.0', turn_id: turnId, summary: raw.role, settings: this.settings, root: this.root }; }
  }`;
}

const HANGS = 'globalThis.lampHangs = true; await new Promise(() => {});';

async function hanging(): Promise<void> {
  while (!('lampHangs' in globalThis)) await new Promise((done) => setImmediate(done));
  Reflect.deleteProperty(globalThis, 'lampHangs');
}

describe('[GA12] a module', () => {
  it.each([
    ['../BESIDE/outside.mjs', 'inside the project'],
    ['./adapters/../../BESIDE/outside.mjs', 'inside the project'],
    ['/etc/passwd', 'inside the project'],
    ['./not-there.mjs', 'ENOENT'],
    ['./link.mjs', 'inside the project'],
    ['./adapters', 'cannot be loaded'],
    ['./typed.ts', 'build it first'],
    ['no-such-package', 'cannot be resolved as a package of the project'],
    ['no-such-package/../../x', 'expected a path'],
    ['data:text/javascript,0', 'expected a path'],
    ['node:fs', 'expected a path'],
  ])('%s is refused', async (module, why) => {
    await out(mine(), module.replace('BESIDE', basename(scene.programs.folder)));
    const outside = join(scene.programs.folder, 'outside.mjs');
    writeFileSync(outside, mine());
    symlinkSync(outside, join(scene.root, 'link.mjs'));
    scene.project.write('typed.ts', mine());
    const failure = await scene.fails();
    expect(failure).toMatchObject({ error_class: 'module_unusable', category: 'permanent', blocked: true });
    expect(failure.detail).toContain(why);
  });

  it.each([
    ['exports nothing', ''],
    ['exports something else', 'export const lamp = { dispatch() {}, wait: 1 };'],
    ['is no JavaScript', 'export class {'],
    ['throws', `throw new Error('no oil');`],
  ])('that %s is module_unusable', async (_, source) => {
    await out(source);
    expect(await scene.fails()).toMatchObject({ error_class: 'module_unusable', category: 'permanent', blocked: true });
  });

  it('that never loads times out', async () => {
    await out('await new Promise(() => {}); export const x = 1;');
    const clock = new VirtualClock();
    const failed = scene.fails({ clock });
    while (clock.waiting === 0) await new Promise((done) => setImmediate(done));
    clock.advance(60_000);
    expect(await failed).toMatchObject({ reason: 'timeout', error_class: 'timeout' });
  });

  it('may be a package of the project', async () => {
    const folder = join(scene.root, 'node_modules/@lamp/adapter');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"name": "@lamp/adapter", "type": "module", "exports": "./main.js"}');
    writeFileSync(join(folder, 'main.js'), mine());
    await out('', '@lamp/adapter');
    expect(await scene.run()).toMatchObject({ ok: true, turnResult: { summary: 'builder' } });
  });
});

describe('[GA12] a custom driver', () => {
  it.each([
    ['its constructor', mine().replace('this.root = root;', `throw new Error('${SECRET}');`)],
    ['dispatch', mine({ dispatch: `throw new Error('${SECRET}');` })],
    ['wait', mine({ wait: `throw new Error('${SECRET}');` })],
    ['collect', mine({ collect: `throw new Error('${SECRET}');` })],
  ])('that throws in %s fails without showing secrets', async (step, source) => {
    await out(source);
    const failure = await scene.fails({ variables: { LAMP_TOKEN: SECRET } });
    expect(failure).toMatchObject({ error_class: 'adapter_threw', category: 'permanent', blocked: true });
    expect(failure.detail).toBe(`mine: ${step}: [secret]`);
  });

  it.each([
    ['dispatch', 60_000],
    ['wait', 6_000],
    ['collect', 60_000],
  ])('that hangs in %s times out', async (step, ms) => {
    await out(mine({ [step]: HANGS }), './adapters/mine.mjs', { timeout_ms: 5_000 });
    const clock = new VirtualClock();
    const failed = scene.fails({ clock });
    await hanging();
    clock.advance(ms - 1);
    await new Promise((done) => setImmediate(done));
    expect(clock.waiting).toBe(1);
    clock.advance(1);
    expect((await failed).detail).toBe(`mine: ${step} did not end in ${ms} ms`);
    expect(clock.waiting).toBe(0);
  });

  it.each(['dispatch', 'wait'] as const)('that hangs in %s can be cancelled', async (step) => {
    await out(mine({ [step]: HANGS }));
    expect(await scene.cancels(hanging)).toMatchObject({ reason: 'aborted', blocked: false });
  });

  it.each([
    [`return { status: 'failed', data: null };`, 'adapter_failed', 'adapter_failed', 'mine: adapter_failed'],
    [`return { status: 'failed', data: { at: 3 }, reason: 'dark' };`, 'adapter_failed', 'dark', 'mine: {"at":3}'],
    [`return { status: 'failed', data: null, reason: 'timeout' };`, 'timeout', 'timeout', 'mine: the turn timed out'],
    [`return { status: 'done', data: 1 };`, 'adapter_threw', 'adapter_threw', 'expected a status'],
    ['return undefined;', 'adapter_threw', 'adapter_threw', 'expected a status'],
  ])('fails if its wait does %s', async (wait, error_class, reason, detail) => {
    await out(mine({ wait }));
    const failure = await scene.fails();
    expect(failure).toMatchObject({ error_class, reason });
    expect(failure.detail).toContain(detail);
  });

  it.each(['null', '[]', '"done"'])('that collects %s fails as invalid_result', async (value) => {
    await out(mine({ collect: `return ${value};` }));
    expect(await scene.fails()).toMatchObject({ error_class: 'invalid_result', category: 'parse' });
  });

  it('written as a class gets settings, bundle and timeout, and its result is staged', async () => {
    const settings = { oil: 3, timeout_ms: 5_000 };
    const wait = `return { status: 'completed', data: { role: [timeoutMs, signal.aborted, this.bundle.prompt.length > 0].join() } };`;
    await out(mine({ wait }), './adapters/mine.mjs', settings);
    const claim = { schema_version: '1.0', turn_id: TURN, summary: '5000,false,true' };
    const turnResult = { ...claim, settings, root: scene.root };
    expect(await scene.run()).toEqual({ ok: true, turnResult });
    expect(scene.staged()).toEqual(turnResult);
  });

  it('may be an object exported by its name or as default', async () => {
    const object = `{ name: 'mine', async dispatch() {}, async wait() { return { status: 'completed', data: 1 }; },
      async collect(turn_id) { return { schema_version: '1.0', turn_id }; } }`;
    await out(`export const mine = ${object};`);
    expect(await scene.run()).toMatchObject({ ok: true });
    await scene.dispatched({ type: 'mine' }, { adapters: { mine: { module: './other.mjs' } } });
    scene.project.write('other.mjs', `export default ${object};`);
    expect(await scene.run()).toMatchObject({ ok: true });
  });

  it('can be written as the protocol documents it', async () => {
    class MyAdapter implements RuntimeDriver {
      name = 'my_adapter';
      async dispatch(_bundle: DispatchBundle): Promise<void> {}
      async wait(_turnId: string, _timeoutMs: number): Promise<{ status: 'completed' | 'failed'; data: unknown }> {
        return { status: 'completed', data: {} };
      }
      async collect(_turnId: string, rawData: unknown): Promise<TurnResult> {
        return rawData as TurnResult;
      }
    }
    expect(await new MyAdapter().wait(TURN, 1)).toEqual({ status: 'completed', data: {} });
  });
});
