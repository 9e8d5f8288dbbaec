/** Serves the console from a table of files read at startup: compressed once, revalidated by ETag. */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { HubError } from '../../core/lib/errors.ts';
import { packageFolder } from '../../system/package.ts';

export interface PageSite {
  readonly isBuilt: boolean;
  /** Returns false if there is no file at this path. Only for GET and HEAD. */
  answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

type Encoding = 'br' | 'gzip';

const NOT_BUILT = [
  'Parley listens here, but its console was not built.',
  '',
  'In a clone of its source: npm run build, and start the hub again.',
  'The hub itself needs no console: GET /openapi.json, /healthz, /metrics, and WebSocket on this port.',
  '',
].join('\n');

const YEAR_S = 31_536_000;
/** Files below this size are not compressed: within one packet, compression saves nothing. */
const SMALL_BYTES = 1024;

/** The folder the build writes to. */
function consoleFolder(): string {
  return join(packageFolder(), 'dist', 'console');
}

export async function openPages(folder: string = consoleFolder()): Promise<PageSite> {
  const table = await readPages(folder);
  const compressed = new Map<string, Promise<Buffer>>();
  return {
    isBuilt: table !== null,
    async answer(path, request, response) {
      if (table === null) return path === '/' && notBuilt(request, response);
      const file = table.get(path);
      if (file === undefined) return false;
      await answerFile(file, compressed, request, response);
      return true;
    },
  };
}

async function answerFile(
  file: PageFile,
  compressed: Map<string, Promise<Buffer>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const encoding = encodingFor(file, request.headers['accept-encoding']);
  const etag = `"${file.digest}${encoding === null ? '' : `-${encoding}`}"`;
  const headers = {
    ...pageHeaders(request.headers.host ?? ''),
    'content-type': file.type,
    'cache-control': file.isHashed ? `public, max-age=${YEAR_S}, immutable` : 'no-cache',
    etag,
    vary: 'accept-encoding, origin',
  };
  if (isKnown(request.headers['if-none-match'], etag)) return void response.writeHead(304, headers).end();
  const body = encoding === null ? file.bytes : await compressedOnce(compressed, file, encoding);
  const encoded = encoding === null ? {} : { 'content-encoding': encoding };
  response.writeHead(200, { ...headers, ...encoded, 'content-length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function compressedOnce(
  compressed: Map<string, Promise<Buffer>>,
  { bytes, digest }: PageFile,
  encoding: Encoding,
): Promise<Buffer> {
  const key = `${encoding} ${digest}`;
  const known = compressed.get(key);
  if (known !== undefined) return known;
  const made = COMPRESS[encoding](bytes);
  compressed.set(key, made);
  return made;
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
const COMPRESS: { readonly [Name in Encoding]: (bytes: Buffer) => Promise<Buffer> } = {
  br: (bytes) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => zip(bytes, { level: 9 }),
};

/** The best encoding the browser accepts; quality 0 means no, other preferences are ignored. */
function encodingFor({ type, bytes }: PageFile, accepted: string | string[] | undefined): Encoding | null {
  if (bytes.length < SMALL_BYTES || /^(image\/(png|x-icon)|font\/)/.test(type)) return null;
  const taken = new Set(
    String(accepted ?? '')
      .toLowerCase()
      .split(',')
      .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
      .map((one) => one.split(';', 1)[0]?.trim()),
  );
  return taken.has('br') ? 'br' : taken.has('gzip') ? 'gzip' : null;
}

function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag || one.trim() === '*');
}

/** Not cached: the console may be built later. */
function notBuilt(request: IncomingMessage, response: ServerResponse): true {
  response.writeHead(404, {
    ...pageHeaders(request.headers.host ?? ''),
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(NOT_BUILT),
  });
  response.end(request.method === 'HEAD' ? undefined : NOT_BUILT);
  return true;
}

const POWERS = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'microphone',
  'payment',
  'usb',
];

/** Only files of this port may run in the page, and no page may frame it. `host` was checked before. */
function pageHeaders(host: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': policyFor(host),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': POWERS.map((power) => `${power}=()`).join(', '),
  };
}

function policyFor(host: string): string {
  // Some browsers do not treat a WebSocket of the same address as 'self'; a proxy may add TLS.
  const sockets = /^[a-z0-9.:[\]-]+$/i.test(host) ? ` ws://${host} wss://${host}` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${sockets}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

interface PageFile {
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

/** Limits for the case that a wrong folder was named. */
const MAX_FILES = 256;
const MAX_BYTES = 16 * 1024 * 1024;
/** Folder of files with hashed names. */
const HASHED = 'assets';

/** null if the folder contains no built page. */
async function readPages(folder: string): Promise<PageTable | null> {
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
