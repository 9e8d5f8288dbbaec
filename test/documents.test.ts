// The documents say what is so: code in them is code that runs, and every file they name exists.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { read, root, sources } from './package/repository.ts';

const documents = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'SECURITY.md', 'SPEC.md'];

/** A fence that names a file shows that file, or an excerpt of it: "```ts examples/quickstart.ts". */
const shown = [...read('README.md').matchAll(/^```ts (\S+)( excerpt)?\n([\s\S]*?)^```$/gm)].map(
  ([, file = '', excerpt, code = '']) => ({ file, isWhole: excerpt === undefined, code }),
);

describe('the code in the README', () => {
  it('[PK6] shows the quickstart and a session type of your own', () => {
    expect(shown.map(({ file, isWhole }) => ({ file, isWhole }))).toEqual([
      { file: 'examples/quickstart.ts', isWhole: true },
      { file: 'examples/haiku.ts', isWhole: false },
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
    const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g), ...text.matchAll(/src="([^"]+)"/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target));
    expect(links.filter((target) => !existsSync(join(root, dirname(document), target)))).toEqual([]);
  });

  it('names only files and folders that exist', () => {
    const named = [...text.matchAll(/`((?:src|adapters|views|expectations|examples|test|docs|\.ci)\/[\w./-]*)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
