/** The key and the certificate of a port, out of files. */

import { readFile } from 'node:fs/promises';
import { HubError } from '../core/lib/errors.ts';
import type { TlsOptions } from '../server/port/serve-options.ts';

export interface TlsFiles {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** undefined = neither was named. One without the other is a mistake. */
export async function tlsFromFiles({ cert, key }: TlsFiles): Promise<TlsOptions | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const [given, missing] = cert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
    throw new HubError('bad_options', `${missing}: expected the path of a PEM file beside ${given}, got none`);
  }
  return { cert: await textOf('--tls-cert', cert), key: await textOf('--tls-key', key) };
}

async function textOf(option: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const problem = `expected the path of a PEM file that can be read, got "${file}" (${cause.code ?? cause.message})`;
    throw new HubError('bad_options', `${option}: ${problem}`, { cause });
  });
}
