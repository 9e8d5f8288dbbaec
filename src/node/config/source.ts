/** A config file as it was read: its value, and where in the file each part of it stands. */

import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { Trouble } from '../commands/trouble.ts';

export type KeyPath = readonly PropertyKey[];

/** Counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Source {
  readonly file: string;
  readonly value: unknown;
  /** Of the key itself, or of what it has; of the nearest part around it where it is not there. null = nobody knows. */
  placeOf(path: KeyPath, part: 'key' | 'value'): Place | null;
}

/** What is wrong with the text itself: nothing more can be said of it then. */
export interface Slip {
  readonly place: Place | null;
  readonly problem: string;
}

export type Read = Omit<Source, 'file'> | { readonly slips: readonly Slip[] };

export const CONFIG_ENDINGS = ['json', 'yaml', 'yml', 'ts', 'js', 'mjs'] as const;

/** Unknown endings are read as YAML, of which JSON is a part. */
export async function readSource(file: string): Promise<Source | { readonly slips: readonly Slip[] }> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    throw unreadable(file, thrown);
  });
  const read = await readText(file, text.replace(/^\ufeff/, ''));
  return 'slips' in read ? read : { file, ...read };
}

async function readText(file: string, text: string): Promise<Read> {
  const ending = extname(file);
  if (/^\.[cm]?[jt]s$/.test(ending)) return (await import('./read-module.ts')).readModule(file);
  if (ending === '.json') return (await import('./read-json.ts')).readJson(text);
  return (await import('./read-yaml.ts')).readYaml(text);
}

function unreadable(file: string, thrown: NodeJS.ErrnoException): Trouble {
  const why = thrown.code === 'ENOENT' ? 'is not there' : `cannot be read: ${thrown.message}`;
  const hint = `Give the path of a file that ends in .${CONFIG_ENDINGS.join(', .')}.`;
  return new Trouble('notFound', 'no_file', `--config: ${file} ${why}`, hint);
}
