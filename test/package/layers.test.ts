// The walls between the layers are real: forbidden imports do not compile, lint or pass.

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin, type Ended, read, root, run, sources } from './repository.ts';

interface Layer {
  /** Compiles without the types of Node and the web, and may not name the clock or chance. */
  readonly pure: boolean;
  /** The other layers it may import. */
  readonly uses: readonly string[];
  /** The packages it may import; `dependencies` stands for all in package.json, and Node's modules. */
  readonly packages: readonly string[] | 'dependencies';
  /** Lives outside the box, like a third party: imports other layers by the package's name only. */
  readonly byName?: true;
}

const layers: Readonly<Record<string, Layer>> = {
  'src/core': { pure: true, uses: [], packages: ['xstate', 'yaml', 'zod'] },
  'src/governed/engine': { pure: true, uses: ['src/core'], packages: [] },
  'src/governed/session': { pure: true, uses: ['src/core', 'src/governed/engine'], packages: [] },
  'src/hub': { pure: true, uses: ['src/core'], packages: ['cron-parser', 'eventemitter3', 'zod'] },
  'src/client': { pure: true, uses: ['src/core'], packages: ['eventemitter3', 'zod'] },
  'src/participants': { pure: true, uses: ['src/core', 'src/client'], packages: [] },
  'src/client/web.ts': { pure: false, uses: ['src/core', 'src/client'], packages: [] },
  'src/console': { pure: false, uses: ['src/core', 'src/client', 'src/client/web.ts'], packages: ['preact'] },
  'src/testing': {
    pure: false,
    uses: ['src/core', 'src/hub', 'src/client'],
    packages: ['vitest', 'fast-check', 'node:assert'],
  },
  src: {
    pure: false,
    uses: [
      'src/core',
      'src/governed/engine',
      'src/governed/session',
      'src/hub',
      'src/client',
      'src/participants',
      'adapters',
      'views',
      'expectations',
    ],
    packages: 'dependencies',
  },
  adapters: {
    pure: true,
    uses: ['src/core', 'src/governed/engine', 'src/governed/session'],
    packages: [],
    byName: true,
  },
  views: { pure: true, uses: ['src/core'], packages: [], byName: true },
  expectations: { pure: true, uses: ['src/core'], packages: [], byName: true },
};
const names = Object.keys(layers);
const pure = names.filter((name) => layers[name]?.pure);

describe('[PK1] the compiler', () => {
  const forbidden = [
    'setTimeout(() => {}, 1);',
    'process.exit();',
    "import 'node:fs';",
    "Buffer.from('');",
    "import type { Server } from 'node:http';",
    "console.log('');",
    "fetch('');",
    'performance.now();',
    'crypto.randomUUID();',
  ];
  const legal = [
    'export const stop: AbortSignal = new AbortController().signal;',
    "export const bytes: number = new TextEncoder().encode('').length;",
    'export const late: Promise<void> = Promise.resolve();',
  ];
  const compiled = new Map<string, Ended>();
  let folder: string;

  beforeAll(async () => {
    // Under node_modules, because a probe has to lie inside the projects' common root folder.
    mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
    folder = mkdtempSync(join(root, 'node_modules/.cache/probe-'));
    writeFileSync(join(folder, 'forbidden.ts'), `${forbidden.join('\n')}\nexport {};\n`);
    writeFileSync(join(folder, 'legal.ts'), `${legal.join('\n')}\n`);
    await Promise.all(
      pure.map(async (name) => {
        // `include` is inherited: a source whose imports let Node's types in would let them into the probe too.
        const config = join(folder, `${name.replaceAll('/', '-')}.json`);
        const settings = {
          extends: join(root, name, 'tsconfig.json'),
          compilerOptions: { composite: false, declarationMap: false, isolatedDeclarations: false, noEmit: true },
          files: ['forbidden.ts', 'legal.ts'],
        };
        writeFileSync(config, JSON.stringify(settings));
        compiled.set(name, await run(process.execPath, [bin.tsc, '-p', config, '--pretty', 'false']));
      }),
    );
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const errorsIn = (layer: string, file: string): { line: number; text: string }[] =>
    [...(compiled.get(layer)?.output ?? '').matchAll(/^(.*)\((\d+),\d+\): (error .*)$/gm)]
      .filter(([, path]) => path?.endsWith(`/${file}`))
      .map(([, , line, text]) => ({ line: Number(line), text: String(text) }));

  it.each(pure)('rejects timers, processes, files and sockets in %s', (layer) => {
    const lines = new Set(errorsIn(layer, 'forbidden.ts').map(({ line }) => forbidden[line - 1]));
    expect([...lines].sort(), compiled.get(layer)?.output).toEqual([...forbidden].sort());
  });

  it.each(pure)('allows what every runtime has in %s', (layer) => {
    expect(errorsIn(layer, 'legal.ts')).toEqual([]);
  });
});

describe('[PK1] the linter', () => {
  let folder: string;
  let complaints: string[];

  beforeAll(async () => {
    // A copy of the rules over a tree of probes: biome reports nothing useful for stdin.
    folder = mkdtempSync(join(tmpdir(), 'parley-lint-'));
    cpSync(join(root, 'biome.json'), join(folder, 'biome.json'));
    cpSync(join(root, '.ci/no-random.grit'), join(folder, '.ci/no-random.grit'));
    for (const name of folders) {
      probe(`${name}/date.ts`, 'export const now: number = Date.now();');
      probe(`${name}/made-date.ts`, 'export const day: unknown = new Date(0);');
      probe(`${name}/global-date.ts`, 'export const now: unknown = globalThis.Date;');
      probe(`${name}/random.ts`, 'export const chance: number = Math.random();');
      probe(`${name}/legal.ts`, 'export const biggest: number = Math.max(1, 2);');
    }
    probe('src/core/lib/time.ts', 'export const toMs = (iso: string): number => Date.parse(iso);');
    const args = ['lint', '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none', '.'];
    const { output } = await run(process.execPath, [bin.biome, ...args], { cwd: folder });
    complaints = [...output.matchAll(/^::error .*?file=([^,]+),/gm)]
      .map(([, file]) => String(file).replace(`${folder}/`, ''))
      .sort();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function probe(path: string, line: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${line}\n`);
  }

  it('rejects Date and Math.random in every pure layer, and only there', () => {
    const bad = ['date.ts', 'global-date.ts', 'made-date.ts', 'random.ts'];
    expect(complaints).toEqual(pure.flatMap((name) => bad.map((file) => `${name}/${file}`)).sort());
  });
});

const folders = names.filter((name) => !name.endsWith('.ts'));

function projectOf(name: string): string {
  return name === 'src/client/web.ts' ? 'src/client/tsconfig.web.json' : `${name}/tsconfig.json`;
}

describe('[PK1] imports', () => {
  it('of the Node project are those of its tsconfig.json', () => {
    const { include } = JSON.parse(read('src/tsconfig.json').replace(/^\s*\/\/.*$/gm, ''));
    const isListed = (file: string): boolean =>
      include.some((path: string) => file === `src/${path}` || file.startsWith(`src/${path}/`));
    expect(sourcesOf('src').filter((file) => !isListed(file) && file !== 'src/globals.d.ts')).toEqual([]);
  });

  it.each(names)('of %s stay within its allowed layers', (name) => {
    const wrong = sourcesOf(name).flatMap((file) =>
      specifiers(read(file)).flatMap((specifier) => {
        const fault = faultOf(name, file, specifier);
        return fault ? [`${file}: '${specifier}' ${fault}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it.each(names)('of %s agree with the references of its project', (name) => {
    const project = projectOf(name);
    const config = JSON.parse(read(project).replace(/^\s*\/\/.*$/gm, ''));
    const references = (config.references ?? []).map(({ path }: { path: string }) =>
      posix.join(dirname(project), path).replace(/\/$/, ''),
    );
    const uses = (layers[name]?.uses ?? []).map((used) => projectOf(used).replace(/\/tsconfig\.json$/, ''));
    expect(references.sort()).toEqual(uses.sort());
  });

  it('across a wall are found', () => {
    expect(faultOf('src/core', 'src/core/a.ts', '../hub/post.ts')).toBeTruthy();
    expect(faultOf('src/core', 'src/core/a.ts', 'node:fs')).toBeTruthy();
    expect(faultOf('src/core', 'src/core/a.ts', 'ws')).toBeTruthy();
    expect(faultOf('src/hub', 'src/hub/a.ts', 'parley-hub/adapters/rounds')).toBeTruthy();
    expect(faultOf('adapters', 'adapters/a.ts', '../src/core/index.ts')).toBeTruthy();
    expect(faultOf('src', 'src/store/a.ts', '../testing/index.ts')).toBeTruthy();
    expect(faultOf('src/client', 'src/client/a.ts', './node.ts')).toBeTruthy();
    expect(faultOf('adapters', 'adapters/a.ts', 'parley-hub/core')).toBeUndefined();
    expect(faultOf('src/hub', 'src/hub/deep/a.ts', '../../core/index.ts')).toBeUndefined();
    expect(specifiers(`import a from 'a';\nexport * from "b";\nimport {\n c,\n} from 'c';\nimport 'd';`)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
    expect(specifiers(`const a = import('a'); type B = import("b").B; // from 'no'`)).toEqual(['a', 'b']);
  });
});

function specifiers(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
  const pattern = /\b(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g;
  return [...code.matchAll(pattern)].map(([, , specifier]) => String(specifier));
}

/** The fault of this import, or undefined. */
function faultOf(name: string, file: string, specifier: string): string | undefined {
  const layer = layers[name];
  if (!layer) return 'is in no known layer';
  const relative = specifier.startsWith('.');
  const target = relative ? layerOf(posix.join(dirname(file), specifier)) : ownLayer(specifier);
  if (target === undefined) return relative ? 'leaves the layers' : packageFault(layer, specifier);
  if (target === name) return undefined;
  if (!layer.uses.includes(target)) return `reaches ${target}, which ${name} may not know`;
  if (layer.byName && relative) return `reaches ${target} by path: use the package's name`;
  return undefined;
}

/** Rooms that need Node form the layer `src`, even beside neutral ones. */
const NODE = /^src\/(client\/node\.ts$|participants\/(clis\/|processes\/|(deprecated|node[\w-]*)\.ts$))/;

function layerOf(path: string): string | undefined {
  if (NODE.test(path)) return 'src';
  const inside = (name: string): boolean => path === name || path.startsWith(`${name}/`);
  return names.filter(inside).sort((a, b) => b.length - a.length)[0];
}

function sourcesOf(name: string): string[] {
  const files = name.endsWith('.ts') ? [name] : sources(name);
  return files.filter((file) => layerOf(file) === name);
}

/** The layer behind the package's own name (`parley-hub/core`), by the exports map. */
function ownLayer(specifier: string): string | undefined {
  const [, subpath] = /^parley-hub(\/.*)?$/.exec(specifier) ?? [];
  if (specifier !== 'parley-hub' && subpath === undefined) return undefined;
  const { exports } = manifest();
  const found = Object.entries(exports).find(([key]) => {
    const [head = '', tail] = key.split('*');
    return tail === undefined ? key === `.${subpath ?? ''}` : `.${subpath ?? ''}`.startsWith(head);
  });
  const source = typeof found?.[1] === 'object' ? found[1]['parley-source'] : undefined;
  return source === undefined ? 'nothing exported' : layerOf(source.replace('./', ''));
}

function packageFault(layer: Layer, specifier: string): string | undefined {
  const builtin = specifier.startsWith('node:');
  const packageName = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (layer.packages !== 'dependencies') {
    return layer.packages.includes(packageName) ? undefined : 'is not a package this layer may use';
  }
  const { dependencies, peerDependencies } = manifest();
  const listed = packageName in { ...dependencies, ...peerDependencies };
  return builtin || listed ? undefined : 'is not in the dependencies of package.json';
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

function manifest(): Manifest {
  return JSON.parse(read('package.json'));
}

// A layer without sources would pass every check above.
it.each(names)('%s has sources', (name) => {
  expect(existsSync(join(root, name)) ? sourcesOf(name).length : 0).toBeGreaterThan(0);
});
