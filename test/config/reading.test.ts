// The formats of a config file, and the positions of its values.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { loadGuarded } from '../../src/cli/terminal/load-guarded.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { findConfig } from '../../src/config/plan.ts';
import type { KeyPath, ReadResult } from '../../src/config/reading/location.ts';
import { readJson } from '../../src/config/reading/read-json.ts';
import { readYaml } from '../../src/config/reading/read-yaml.ts';
import { root } from '../package/repository.ts';
import { configFolder, linesOf } from './configs.ts';

const folder = configFolder();

function source(read: ReadResult) {
  if ('slips' in read) throw new Error(read.slips.map(({ problem }) => problem).join());
  return read;
}

describe('JSON and YAML', () => {
  it('[CF2] accepts comments and trailing commas in JSON; counts positions from 1', () => {
    const text =
      '// who\r\n{\r\n  "hub": { /* all */ "port": 1 },\r\n  "agents": { "b": { "passEnv": ["A", 7], } },\r\n}\r\n';
    const { value, locationOf: placeOf } = source(readJson(text));
    expect(value).toEqual({ hub: { port: 1 }, agents: { b: { passEnv: ['A', 7] } } });
    expect(placeOf(['hub', 'port'], 'key')).toEqual({ line: 3, column: 22 });
    expect(placeOf(['hub', 'port'], 'value')).toEqual({ line: 3, column: 30 });
    expect(placeOf(['agents', 'b', 'passEnv', 1], 'value')).toEqual({ line: 4, column: 39 });
    // A missing key has the position of its parent.
    expect(placeOf(['agents', 'b', 'model'], 'value')).toEqual({ line: 4, column: 20 });
    expect(placeOf([], 'value')).toEqual({ line: 2, column: 1 });
  });

  it('[CF2] finds positions in YAML, including those of aliases', () => {
    const text = '# who\nagents:\n  a: &one\n    script: x.mjs\n  b: *one\n"odd key": [1, {two: 2}]\n';
    const { value, locationOf: placeOf } = source(readYaml(text));
    expect(value).toEqual({ agents: { a: { script: 'x.mjs' }, b: { script: 'x.mjs' } }, 'odd key': [1, { two: 2 }] });
    expect(placeOf(['agents', 'a', 'script'], 'key')).toEqual({ line: 4, column: 5 });
    expect(placeOf(['agents', 'a', 'script'], 'value')).toEqual({ line: 4, column: 13 });
    expect(placeOf(['agents', 'b'], 'value')).toEqual({ line: 5, column: 6 });
    expect(placeOf(['agents', 'b', 'script'], 'value')).toEqual({ line: 5, column: 6 });
    expect(placeOf(['odd key', 1, 'two'], 'key')).toEqual({ line: 6, column: 17 });
    expect(placeOf(['none'], 'value')).toEqual({ line: 2, column: 1 });
  });

  it('[CF2] explains an unquoted reference within { }', async () => {
    const lines = await folder.wrong('flow.yaml', 'hub: { port: ${P} }\n');
    expect(lines[0]).toMatch(
      /^flow\.yaml:1:\d+: invalid YAML: .*; within \{ \} and \[ \] write "\$\{NAME\}" with quotes$/,
    );
    expect((await folder.wrong('flow.yaml', 'hub: { port: 1\n')).join()).not.toContain('quotes');
  });

  it('[CF2] ignores empty sections', async () => {
    const text = 'hub:\nagents:\nroles:\nrules:\nextract:\nprices:\nschedules:\n';
    expect((await folder.load('empty.yaml', text)).config).toEqual({});
  });

  it('[CF2] finds the position of every key in both formats', () => {
    const key = fc.stringMatching(/^[a-z]{1,6}$/);
    const tree = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 2 },
        fc.integer(),
        fc.string(),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
        fc.array(tie('value'), { maxLength: 2 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.dictionary(key, tree, { minKeys: 1, maxKeys: 3 }), (value) => {
        const paths = keysIn(value, []);
        for (const [text, read] of [
          [JSON.stringify(value, null, 2), readJson] as const,
          [stringify(value), readYaml] as const,
        ]) {
          const got = source(read(text));
          expect(got.value).toEqual({ ...value });
          for (const path of paths) {
            const { line = 0, column = 0 } = got.locationOf(path, 'key') ?? {};
            expect(
              text
                .split('\n')
                [line - 1]?.slice(column - 1)
                .replace(/^"/, ''),
            ).toMatch(new RegExp(`^${String(path.at(-1))}\\b`));
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a.json', '{"a": 1', 'a.json:1:8: invalid JSON: close brace expected'],
    ['a.json', '', 'a.json:1:1: invalid JSON: value expected'],
    ['a.json', '{"hub": {}, "hub": {}}', 'a.json:1:13: duplicate key "hub"'],
    ['a.json', '[]', 'a.json:1:1: expected an object, got an array of 0'],
    ['a.json', '{"hub": {"__proto__": {}}}', 'a.json:1:10: hub.__proto__: this key is not allowed'],
    ['a.yaml', '', 'a.yaml: the file is empty'],
    ['a.yaml', 'hub: {\n', /^a\.yaml:2:1: invalid YAML: Flow map .* end with a }$/],
    ['a.yaml', 'hub: {}\nhub: {}\n', 'a.yaml:2:1: invalid YAML: Map keys must be unique'],
    ['a.yaml', 'hub: {}\n---\nhub: {}\n', 'a.yaml:2:1: expected one document, got several'],
    ['a.yaml', 'agents: {7: {}}\n', 'a.yaml:1:10: expected a key that is text'],
    ['a.yaml', 'hub: *nobody\n', 'a.yaml:1:6: expected an alias of something defined above'],
    ['a.yaml', 'hub: &a [*a]\n', /^a\.yaml.*: (hub: expected|invalid YAML)/],
    ['a.yaml', bomb(), 'a.yaml: invalid YAML: Excessive alias count indicates a resource exhaustion attack'],
  ])('[CF2] %s with %j reports the problem', async (name, text, problem) => {
    const [first] = await folder.wrong(name, text);
    if (typeof problem === 'string') expect(first).toBe(problem);
    else expect(first).toMatch(problem);
  });

  it('[CF4] does not quote the text in syntax errors', async () => {
    for (const text of [
      'agents: {a: {apiKey: "zq-secret-key\n',
      'apiKey: zq-secret-key: x\n',
      'a: "zq-secret-key" zq-secret-key\n',
      '@zq-secret-key\n',
      // Parser messages that end with the text in question.
      'a: }zq-secret-key\n',
      'apiKey: |zq-secret-key\n  x\n',
      'apiKey: !zq-secret-key!x y\n',
      'apiKey: >9 zq-secret-key\n',
    ])
      expect((await folder.wrong('s.yaml', text)).join()).toMatch(/^s\.yaml(?!.*secret-key)/);
    expect((await folder.wrong('s.json', '{"apiKey": zq-secret-key}')).join()).toMatch(/^s\.json(?!.*secret-key)/);
  });

  it('[CF1] ignores a byte order mark and reads unknown endings as YAML', async () => {
    expect((await folder.load('b.json', '\ufeff{"hub": {"port": 1}}')).config).toEqual({ hub: { port: 1 } });
    expect((await folder.load('b.conf', '{"hub": {"port": 1}}')).config).toEqual({ hub: { port: 1 } });
  });
});

it('[CF2] reports the position where JSON becomes too deep', async () => {
  const text = `{"a": "[[", // [\n "b": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  expect(await folder.wrong('deep.json', text)).toEqual(['deep.json:2:70: expected at most 64 levels']);
});

it('[CF2] rejects UTF-16', async () => {
  const texts = ['\ufeffhub: {}', 'hub: {}'].map((text) => Buffer.from(text, 'utf16le'));
  for (const bytes of [...texts, ...texts.map((one) => Buffer.from(one).swap16())]) {
    for (const name of ['w.yaml', 'w.json']) {
      await writeFile(join(folder.path, name), bytes);
      const thrown = await loadConfig(join(folder.path, name), {}).catch((reason: unknown) => reason);
      expect(linesOf(thrown, folder.path)).toEqual([`${name}: expected UTF-8, got UTF-16; save it as UTF-8`]);
    }
  }
});

describe('modules', async () => {
  // Inside the package, like a file of a project that has it installed.
  await mkdir(join(root, 'node_modules/.cache'), { recursive: true });
  const project = await mkdtemp(join(root, 'node_modules/.cache/parley-config-'));
  afterAll(() => rm(project, { recursive: true, force: true }));

  it('[CF2] reports members that throw when read, by key', async () => {
    const text = `const agents = { get bob() { throw new Error('not here'); } };
const self = { agents, roles: {}, get rules() { throw new Error('nor here'); } };
self.roles.again = self;
export default self;
`;
    expect(await folder.wrong('getter.mjs', text)).toEqual([
      'getter.mjs: agents.bob: cannot be read: not here',
      'getter.mjs: rules: cannot be read: nor here',
    ]);
  });

  it('[CF14] warns about a module that does not load within 3 s and gives up after 30', async () => {
    vi.useFakeTimers();
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const loading = loadGuarded('hangs.mjs', () => new Promise(() => {})).catch((thrown: Error) => thrown.message);
      await vi.advanceTimersByTimeAsync(3_000);
      expect(told.mock.calls).toEqual([['parley: hangs.mjs is still loading\n']]);
      await vi.advanceTimersByTimeAsync(27_000);
      expect(await loading).toBe('not loaded within 30 s; does it await something that never happens?');
      expect(vi.getTimerCount()).toBe(0);
      expect(await loadGuarded('quick.mjs', async () => 1)).toBe(1);
      expect(vi.getTimerCount()).toBe(0);
      expect(process.listeners('exit').filter(({ name }) => name === 'onExit')).toEqual([]);
    } finally {
      told.mockRestore();
      vi.useRealTimers();
    }
  });

  it('[CF1] reads TypeScript with its imports', async () => {
    await writeFile(join(project, 'names.ts'), 'export const first: string = "bob";\n');
    const text = `import type { Config } from 'parley-hub';
import { first } from './names.ts';
const config: Config = { agents: { [first]: { script: 'x.mjs', prompt: undefined } }, hub: { host: '\${HOST}' } };
export default config satisfies Config;
`;
    await writeFile(join(project, 'c.ts'), text);
    const { config } = await loadConfig(join(project, 'c.ts'), { HOST: '127.0.0.1' });
    expect(config).toEqual({ agents: { bob: { script: 'x.mjs' } }, hub: { host: '127.0.0.1' } });
  });

  it.each([
    [
      'm.mjs',
      'export default { hub: { port: "x" } };',
      'm.mjs: hub.port: expected a whole number from 0 to 65535, got "x"',
    ],
    ['m.ts', 'export default { hub: { prot: 1 as number } };', 'm.ts: hub.prot: unknown setting; did you mean port?'],
    ['n.ts', 'export const config = {};', 'n.ts: expected a default export: export default defineConfig({ … })'],
    ['o.mjs', 'throw new Error("not today");', 'o.mjs: cannot be loaded: not today'],
    [
      'q.ts',
      "import { defineConfig } from 'parley-hub';\nexport default defineConfig({});",
      /^q\.ts: cannot be loaded: Cannot find .*'parley-hub'.*; install parley-hub next to it/,
    ],
    ['p.ts', 'export default {\n  hub: {\n', /^p\.ts: cannot be loaded: .*\(at \d+:\d+\)$/],
  ])('[CF2] %s reports the problem by key', async (name, text, problem) => {
    const [first] = await folder.wrong(name, text);
    if (typeof problem === 'string') expect(first).toBe(problem);
    else expect(first).toMatch(problem);
  });
});

describe('which file', () => {
  it('[CF1] takes the only config file of a folder; null without one, an error for two', async () => {
    const here = await mkdtemp(join(folder.path, 'which-'));
    expect(findConfig(here)).toBeNull();
    await writeFile(join(here, 'parley.config.yml'), '');
    await writeFile(join(here, 'parley.config.toml'), '');
    expect(findConfig(here)).toBe(join(here, 'parley.config.yml'));
    await writeFile(join(here, 'parley.config.mjs'), '');
    const both = (): unknown => {
      try {
        return findConfig(here);
      } catch (thrown) {
        return thrown;
      }
    };
    expect(linesOf(both(), here)).toEqual(['expected one config file here, got parley.config.yml, parley.config.mjs']);
  });
});

function keysIn(value: unknown, path: KeyPath): KeyPath[] {
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, member]) => {
    const at = [...path, isList ? Number(key) : key];
    return [...(isList ? [] : [at]), ...keysIn(member, at)];
  });
}

/** Nine levels of nine aliases each. */
function bomb(): string {
  const levels = ['a0: &a0 [x]'];
  for (let n = 1; n < 9; n++) levels.push(`a${n}: &a${n} [${`*a${n - 1}, `.repeat(9)}]`);
  return `${levels.join('\n')}\n`;
}
