/** A config file as it was read: its value, and where in the file each part of it stands. */

import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { Trouble } from '../../cli/terminal/command-error.ts';

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
  const bytes = await readFile(file).catch((thrown: NodeJS.ErrnoException) => {
    throw unreadable(file, thrown);
  });
  if (isUtf16(bytes)) return { slips: [{ place: null, problem: 'expected UTF-8, got UTF-16; save it as UTF-8' }] };
  const read = await readText(file, bytes.toString('utf8').replace(/^\ufeff/, ''));
  return 'slips' in read ? read : { file, ...read };
}

async function readText(file: string, text: string): Promise<Read> {
  const ending = extname(file);
  if (/^\.[cm]?[jt]s$/.test(ending)) return (await import('../../config/reading/read-module.ts')).readModule(file);
  if (ending === '.json') return (await import('../../config/reading/read-json.ts')).readJson(text);
  return (await import('../../config/reading/read-yaml.ts')).readYaml(text);
}

/** By its mark, or by the half of its first letter that is 0. */
function isUtf16([first, second]: Uint8Array): boolean {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (second !== undefined && (first === 0) !== (second === 0));
}

function unreadable(file: string, thrown: NodeJS.ErrnoException): Trouble {
  const why = thrown.code === 'ENOENT' ? 'is not there' : `cannot be read: ${thrown.message}`;
  const hint = `Give the path of a file that ends in .${CONFIG_ENDINGS.join(', .')}.`;
  return new Trouble('notFound', 'no_file', `--config: ${file} ${why}`, hint);
}
