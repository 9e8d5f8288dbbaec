// The tools around the tests: they explain themselves, and take no argument that means nothing.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root, run } from '../package/repository.ts';
import { type BuiltScripts, builtScripts } from '../support/built-script.ts';
import { itDeep } from '../support/size.ts';

const TOOLS = ['test/server/websocket/fuzz-cli.ts', 'test/bench/main.ts', 'test/bench/wire/main.ts'];

let built: BuiltScripts;
beforeAll(async () => {
  built = await builtScripts(TOOLS.map((path) => join(root, path)));
});
afterAll(() => built.remove());

const tool = (path: string, ...args: string[]) =>
  run(process.execPath, [built.paths[TOOLS.indexOf(path)] ?? '', ...args]);

/** As npm runs it. */
const fromSource = (path: string, ...args: string[]) =>
  run(process.execPath, ['--conditions=parley-source', '--import', 'tsx', path, ...args]);

itDeep.each([
  ['--frames', 'many'],
  ['--frames', '0'],
  ['--seed', '1.5'],
])('[PK10] npm run fuzz refuses %s %s', async (option, value) => {
  const { code, output } = await tool('test/server/websocket/fuzz-cli.ts', option, value);
  expect([code, output.split('\n')[0]]).toEqual([2, expect.stringContaining(`${option}: expected a whole number`)]);
});

itDeep('[PK10] npm run fuzz explains itself, and says what came of the frames', async () => {
  const help = await fromSource('test/server/websocket/fuzz-cli.ts', '--help');
  expect([help.code, help.output]).toEqual([0, expect.stringContaining('Exit codes: 0')]);
  const few = await tool('test/server/websocket/fuzz-cli.ts', '--frames', '50');
  expect(few.code).toBe(0);
  expect(few.output).toMatch(
    /^seed 7: 50 frames in .* answered with a typed refusal.*\nthe log of the others is unchanged; the hub goes on\n$/,
  );
});

it.each(['test/bench/main.ts', 'test/bench/wire/main.ts'])(
  '[PK10] %s names a figure there is none of',
  async (path) => {
    const { code, output } = await tool(path, '--only', 'nope');
    expect([code, output]).toEqual([
      2,
      expect.stringMatching(/^--only: expected one of .*, or how they begin, got "nope"\n$/),
    ]);
  },
);
