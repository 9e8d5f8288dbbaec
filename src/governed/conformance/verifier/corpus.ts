/** Reads a folder of fixtures in path order and computes a digest that identifies the corpus. */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Fixture, fixtureOf } from '../fixture.ts';

export interface Corpus {
  readonly root: string;
  readonly fixtures: readonly Fixture[];
  readonly sha256: string;
  readonly problems: readonly { readonly file: string; readonly problem: string }[];
}

export async function readCorpus(root: string): Promise<Corpus> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  const fixtures: Fixture[] = [];
  const problems: { file: string; problem: string }[] = [];
  for (const path of files) {
    const file = relative(root, path).split(sep).join('/');
    const text = await readFile(path, 'utf8');
    hash.update(`${file}\n${Buffer.byteLength(text)}\n${text}`);
    const fixture = parsed(text);
    if (typeof fixture === 'string') problems.push({ file, problem: fixture });
    else fixtures.push(fixture);
  }
  return { root, fixtures, sha256: hash.digest('hex'), problems };
}

function parsed(text: string): Fixture | string {
  try {
    return fixtureOf(JSON.parse(text));
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
