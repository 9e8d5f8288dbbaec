/** Reads the built console into a table (path → file) when a port opens. No request path ever reaches the file system. */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { HubError } from '../../core/lib/errors.ts';

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** True if the name contains a hash of the content. */
  readonly isHashed: boolean;
  readonly digest: string;
}

type PageTable = ReadonlyMap<string, PageFile>;

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.json', 'application/json'],
  ['.webmanifest', 'application/manifest+json'],
  ['.woff2', 'font/woff2'],
  ['.txt', 'text/plain; charset=utf-8'],
]);

/** Bounds a folder that was named by mistake. */
const MAX_FILES = 256;
const MAX_BYTES = 16 * 1024 * 1024;
/** Folder of files with hashed names. */
const HASHED = 'assets';

/** null if the folder contains no built page. */
export async function readPages(folder: string): Promise<PageTable | null> {
  const table = new Map<string, PageFile>();
  for (const place of [[], [HASHED]]) {
    for (const name of await filesIn(join(folder, ...place))) {
      const type = TYPES.get(extname(name));
      if (type === undefined) continue;
      const bytes = await readFile(join(folder, ...place, name));
      const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
      table.set(`/${[...place, name].join('/')}`, { type, bytes, isHashed: place.length > 0, digest });
      checkSize(folder, table);
    }
  }
  const index = table.get('/index.html');
  if (index === undefined) return null;
  return table.set('/', index);
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    // Skip links: the build creates none.
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw thrown;
  }
}

function checkSize(folder: string, table: ReadonlyMap<string, PageFile>): void {
  let bytes = 0;
  for (const file of table.values()) bytes += file.bytes.length;
  if (table.size <= MAX_FILES && bytes <= MAX_BYTES) return;
  const most = `at most ${MAX_FILES} files and ${MAX_BYTES} bytes`;
  throw new HubError('bad_options', `console: expected a folder with a built console (${most}), got ${folder}`);
}
