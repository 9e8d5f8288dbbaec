// The documents say what is so: code in them is code that runs, and every file they name exists.

import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DEFAULT_LIMITS, OPERATIONS, WIRE_CODES } from 'parley-hub/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { bin, documents as documentsIn, read, root, run, sources } from './package/repository.ts';
import { type BuiltScript, type BuiltScripts, builtScript, builtScripts } from './support/built-script.ts';

const documents = [
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'SPEC.md'],
  ...documentsIn('docs'),
];

/** The code on these pages is excerpts: it needs a key, a program or a config file that a test does not have. */
const WITH_EXCERPTS = [
  'docs/guides/agent-clis.md',
  'docs/guides/budgets.md',
  'docs/guides/models.md',
  'docs/guides/roles.md',
  'docs/guides/tools.md',
  'docs/reference/config.md',
];

/** All other code in documents is programs that run. */
const withPrograms = documents.filter(
  (document) => !WITH_EXCERPTS.includes(document) && /^```ts$/m.test(read(document)),
);

/** A fence that names a file shows that file, or an excerpt of it: "```ts examples/quickstart.ts". */
const shown = documents.flatMap((document) =>
  [...read(document).matchAll(/^```ts (\S+)( excerpt)?\n([\s\S]*?)^```$/gm)].map(
    ([, file = '', excerpt, code = '']) => ({ document, file, isWhole: excerpt === undefined, code }),
  ),
);

describe('code that a document shows from a file', () => {
  it('[PK6] is the quickstart, limits and deadlines, and a session type of your own', () => {
    expect(shown.map(({ document, file, isWhole }) => ({ document, file, isWhole }))).toEqual([
      { document: 'README.md', file: 'examples/quickstart.ts', isWhole: true },
      { document: 'docs/guides/expectations.md', file: 'examples/limits-and-deadlines.ts', isWhole: true },
      { document: 'docs/guides/writing-an-adapter.md', file: 'examples/haiku.ts', isWhole: false },
    ]);
  });

  it.each(shown)('[PK6] is word for word that of $file, which is run', ({ file, isWhole, code }) => {
    expect(sources('examples')).toContain(file);
    if (isWhole) expect(code).toBe(read(file));
    else expect(read(file)).toContain(code);
  });

  it('[PK6] shows a session type of your own in 20 lines', () => {
    const { code = '' } = shown.find(({ file }) => file === 'examples/haiku.ts') ?? {};
    expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  });
});

describe.each(documents)('%s', (document) => {
  const text = read(document);

  it('links only to what is there', () => {
    expect(linksOf(document).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names only files and folders that exist', () => {
    const named = [...text.matchAll(/`((?:src|adapters|views|expectations|examples|test|docs|\.ci)\/[\w./-]*)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names only source files that exist', () => {
    const files = ['src', 'adapters', 'views', 'expectations', 'examples', 'test'].flatMap(sources);
    const known = new Set(files.map((file) => basename(file)));
    const named = document === 'ARCHITECTURE.md' ? [...text.matchAll(/`([\w./-]+\.tsx?)`/g)] : [];
    const missing = named.map(([, path = '']) => path).filter((path) => !known.has(basename(path)));
    expect(missing.filter((path) => path !== 'parley.config.ts')).toEqual([]);
  });

  it('links only to headings that are there', () => {
    const links = [...text.matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)].map(([, file = '', anchor = '']) => ({
      path: file === '' ? document : join(dirname(document), file),
      anchor,
    }));
    expect(links.filter(({ path, anchor }) => !anchorsOf(read(path)).includes(anchor))).toEqual([]);
  });

  it('names only commands that exist', () => {
    const named = [...text.matchAll(/npm run (?:-s )?(\w[\w:-]*)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([]);
  });

  it('is in the package, with everything it links to', () => {
    // npm packs these two whatever `files` says.
    const packed = [...manifest.files, 'README.md', 'LICENSE'];
    const needed = [document, ...linksOf(document)];
    expect(needed.filter((path) => !packed.some((own) => path === own || path.startsWith(`${own}/`)))).toEqual([]);
  });
});

describe('the commands of a clone', () => {
  it.each(Object.keys(manifest.scripts).filter((name) => name !== 'dependencies'))(
    '[PK3] npm run %s installs what it needs first',
    (name) =>
      expect(Object.entries(manifest.scripts)).toContainEqual([
        name,
        expect.stringMatching(/^node \.ci\/(ensure\.mjs && |start\.mjs$)/),
      ]),
  );

  let simulator: BuiltScript;
  beforeAll(async () => {
    simulator = await builtScript('test/simulation/cli.ts');
  });
  afterAll(() => simulator.remove());
  const simulate = (...args: string[]) => run(process.execPath, [simulator.path, ...args]);

  it.concurrent('npm run simulate -- --help tells how it is used', async () => {
    expect(await simulate('--help')).toEqual({ code: 0, output: expect.stringMatching(/^Usage: npm run simulate/) });
  });

  it.concurrent.each(['--bogus', '--seeds', '--seeds many', '--seeds 0', '--seed 1 --from 2', '7'])(
    'npm run simulate -- %s says what is wrong and how it is used',
    async (line) => {
      const usage = expect.stringMatching(/^.+\n\nUsage: npm run simulate/);
      expect(await simulate(...line.split(' '))).toEqual({ code: 2, output: usage });
    },
  );
});

describe('the reference', () => {
  const api = documentsIn('docs/reference').map(read).join('\n');

  it('[PK4] has the wire codes of the catalogue', () => {
    const rows = Object.entries(WIRE_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
    expect(table(api, '| code | meaning |')).toEqual(rows);
  });

  it('[PK4, OP1] has the operations of the table', () => {
    const rows = Object.values(OPERATIONS).map(({ name, who, errors, help }) => [
      `\`${name}\``,
      who,
      coded(errors),
      help,
    ]);
    expect(table(api, '| operation | who | errors | what for |')).toEqual(rows);
  });

  it('[RE6] has every limit with its default', () => {
    const rows = Object.entries(DEFAULT_LIMITS).map(([name, value]) => [`\`${name}\``, withUnit(name, value)]);
    expect(table(api, '| limit | default | what it bounds |').map((row) => row.slice(0, 2))).toEqual(rows);
  });

  it('[EV1] has every event with what it carries', () => {
    const [, body = ''] =
      /^export interface HubEvents \{\n([\s\S]*?)^\}/m.exec(read('src/hub/telemetry/events.ts')) ?? [];
    const rows = [...body.matchAll(/^ {2}(\w+): \{([^}]*)\}/gm)].map(([, name = '', fields = '']) => [
      `\`${name}\``,
      coded([...fields.matchAll(/readonly (\w+):/g)].map(([, field = '']) => field)),
    ]);
    expect(rows.length).toBeGreaterThan(10);
    expect(table(api, '| event | carries | when |').map((row) => row.slice(0, 2))).toEqual(rows);
  });

  it('has only codes of HubError that are thrown', () => {
    const code = [...sources('src'), ...sources('expectations')].map(read).join('\n');
    const codes = table(api, '| code | from | why |').map(([name = '']) => name.slice(1, -1));
    expect(codes.length).toBeGreaterThan(5);
    // A registry throws the code it was created with.
    const isThrown = (name: string) =>
      new RegExp(`(HubError\\(\\s*|Registry[^(]*\\([^)]*, |super\\([^)]*, |code: )'${name}'`).test(code);
    expect(codes.filter((name) => !isThrown(name))).toEqual([]);
  });

  const callable = ['src/server/create-hub.ts', ...sources('src/client')].map(read).join('\n');

  it.each([
    'CreateHubOptions',
    'LocalHub',
    'ClientOptions',
    'AgentOptions',
    'OpenOptions',
    'SessionQuery',
    'Invite',
    'TurnOffer',
    'CallOptions',
    'SendOptions',
    'CloseOptions',
    'AddOptions',
    'ResumeOptions',
    'LogOptions',
    'ViewOptions',
    'WaitOptions',
    'Client',
    'HumanClient',
    'Session',
    'Message',
  ])('names every public member of %s', (type) => {
    const members = publicMembers(callable, type);
    expect(members).not.toEqual([]);
    const named = [...api.matchAll(/`[^`\n]+`/g)].flatMap(([code]) => code.match(/\w+/g) ?? []);
    expect(members.filter((member) => !named.includes(member))).toEqual([]);
  });
});

describe('the programs of the documents', () => {
  const programs = withPrograms.flatMap((document) =>
    [...read(document).matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ''], at) => ({
      file: `${document.slice('docs/'.length, -'.md'.length).replace('/', '-')}-${at + 1}.ts`,
      code,
    })),
  );
  let folder: string;
  let built: BuiltScripts;

  /** A stranger's project: the package is there by its name. */
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-programs-'));
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    symlinkSync(root, join(folder, 'node_modules/parley-hub'), 'junction');
    symlinkSync(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'), 'junction');
    const compilerOptions = { composite: false, declarationMap: false, isolatedDeclarations: false, noEmit: true };
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { ...compilerOptions, rootDir: '/', types: ['node'] },
      files: programs.map(({ file }) => file),
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, references: [] }));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    for (const { file, code } of programs) writeFileSync(join(folder, file), code);
    built = await builtScripts(programs.map(({ file }) => join(folder, file)));
  });
  afterAll(async () => {
    await built.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('[PK6] are all of their code, and assert', () => {
    expect(programs.length).toBeGreaterThan(5);
    expect(programs.filter(({ code }) => !code.includes('assert.'))).toEqual([]);
  });

  it('[PK6] compile', async () => {
    expect(await run(process.execPath, [bin.tsc, '-p', folder, '--pretty', 'false'])).toEqual({ code: 0, output: '' });
  });

  it.concurrent.each(programs)('[PK6] $file runs and ends by itself', async (program) => {
    const { code, output } = await run(process.execPath, [built.paths[programs.indexOf(program)] ?? '']);
    expect(code, output).toBe(0);
  });
});

/** The files a document links to, as paths from the root. */
function linksOf(document: string): string[] {
  const text = read(document);
  return [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g), ...text.matchAll(/src="([^"]+)"/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => join(dirname(document), target));
}

/** The cells of the table below this header line. */
function table(text: string, header: string): string[][] {
  const lines = text.split('\n');
  const start = lines.indexOf(header);
  const rows = start === -1 ? [] : lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}

function coded(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(' ');
}

/** A limit as people write it: by the ending of its name. */
function withUnit(name: string, value: number): string {
  const units: readonly (readonly [number, string])[] = name.endsWith('Ms')
    ? [
        [86_400_000, ' d'],
        [3_600_000, ' h'],
        [1000, ' s'],
      ]
    : name.endsWith('Bytes')
      ? [
          [1024 ** 2, ' MiB'],
          [1024, ' KiB'],
        ]
      : [];
  const [size, unit] = units.find(([most]) => value % most === 0) ?? [1, ''];
  return `${(value / size).toLocaleString('en-US')}${unit}`;
}

/** The names in an interface or a class of ours, without what is private. */
function publicMembers(source: string, type: string): string[] {
  const [, body = ''] =
    new RegExp(`^export (?:abstract )?(?:interface|class) ${type}\\b[^]*?\\{\\n([^]*?)^\\}`, 'm').exec(source) ?? [];
  const members = body.matchAll(/^ {2}(?:readonly |get |static |async )*(\w+)(?:<[^(]*>)?\??[:(]/gm);
  return [...members].map(([, name = '']) => name).filter((name) => name !== 'constructor');
}

/** Headings as links name them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}
