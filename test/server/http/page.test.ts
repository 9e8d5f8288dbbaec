// The console over HTTP: files, headers and caching, and no other file of the disk.

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ServeOptions } from 'parley-hub';
import { beforeAll, describe, expect, it } from 'vitest';
import { startedHub } from '../../support/started-hub.ts';
import { sharedFolder } from '../../support/temp-folder.ts';
import { HttpHub } from './http-hub.ts';
import { RawHttp, requestText } from './raw-http.ts';

const SCRIPT = `console.log(${JSON.stringify('talk '.repeat(1000))});\n`;
const PAGE = '<!doctype html><script type="module" src="/assets/index-abc123.js"></script>';

const shared = sharedFolder();
let folder = '';
beforeAll(async () => {
  folder = shared.path;
  await mkdir(join(folder, 'pages', 'assets', 'deeper'), { recursive: true });
  await mkdir(join(folder, 'empty'));
  await writeFile(join(folder, 'secret.js'), 'secret');
  await writeFile(join(folder, 'pages', 'index.html'), PAGE);
  await writeFile(join(folder, 'pages', 'notes.exe'), 'no type that is served');
  await writeFile(join(folder, 'pages', 'assets', 'index-abc123.js'), SCRIPT);
  await writeFile(join(folder, 'pages', 'assets', 'deeper', 'in.js'), 'too deep');
  await symlink(join(folder, 'secret.js'), join(folder, 'pages', 'assets', 'link.js'));
});

const open = (serving: ServeOptions = {}): Promise<HttpHub> =>
  HttpHub.open({ console: { folder: join(folder, 'pages') }, ...serving });

/** As bytes, whatever they are packed in. */
function bytesOf(port: number, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) }),
      );
    });
    asked.on('error', reject).end();
  });
}

describe('other methods and paths', () => {
  it('[CN1] without the option the port answers as if there were no console, and says what there is', async () => {
    const http = await HttpHub.open();
    const { status, body } = await http.send('GET', '/', null);
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ code: 'not_found', message: expect.stringContaining('GET /healthz') });
    expect((await http.send('GET', '/assets/index-abc123.js', null)).status).toBe(404);
  });

  it.each([
    '/../secret.js',
    '/assets/../../secret.js',
    '/assets/%2e%2e/%2e%2e/secret.js',
    '/assets/..%2f..%2fsecret.js',
    '/assets/link.js',
    '/assets/deeper/in.js',
    '/assets//index-abc123.js',
    '/assets/index-abc123.js/',
    '/assets/index-abc123.js%00',
    '/assets',
    '/assets/',
    '/notes.exe',
    '/__proto__',
    '/constructor',
    '/etc/passwd',
    '//etc/passwd',
    '/file:///etc/passwd',
  ])('[CN2] %s is nothing: only what is in the table is served', async (path) => {
    const { port } = await open();
    const socket = await RawHttp.to(port);
    const answer = await socket.write(requestText(`GET ${path}`, ['Connection: close'])).closed();
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).not.toContain('secret\r\n');
    expect(answer).toContain('"not_found"');
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('[CN2] %s / is refused as everywhere', async (method) => {
    const http = await open();
    expect((await http.send(method, '/', null)).status).toBe(404);
  });

  it('[CN2, PO3] another Host or Origin gets no page', async () => {
    const http = await open();
    const host = await http.send('GET', '/', null, { headers: { host: 'evil.example' } });
    const origin = await http.send('GET', '/', null, { headers: { origin: 'http://evil.example' } });
    expect([host.status, origin.status]).toEqual([403, 403]);
    expect(`${host.text}${origin.text}`).not.toContain('<script');
  });

  it('[CN1] an option that is none is refused by name, and so is a folder that cannot be a console', async () => {
    const { hub } = await startedHub();
    const wrong = (console: unknown) => hub.listen({ port: 0, console: console as boolean });
    await expect(wrong('yes')).rejects.toThrow('console: expected true, false or {folder}, got "yes"');
    await expect(wrong({ folder: '' })).rejects.toThrow('console: expected');
    const many = join(folder, 'many');
    await mkdir(many);
    for (let i = 0; i < 257; i++) await writeFile(join(many, `${i}.txt`), '');
    await expect(wrong({ folder: many })).rejects.toThrow('at most 256 files');
  });

  it('[CN1] one that was not built says so in words, and the rest of the port works', async () => {
    const http = await HttpHub.open({ console: { folder: join(folder, 'empty') } });
    const { status, text, headers } = await http.send('GET', '/', null);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toContain('npm run build');
    expect((await http.send('GET', '/healthz', null)).status).toBe(200);
    expect((await http.send('GET', '/other', null)).body.error.code).toBe('not_found');
  });
});

describe('the page', () => {
  it('[CN1] / and /index.html are the page, and every other path of the port stays what it was', async () => {
    const http = await open();
    for (const path of ['/', '/index.html', '/?x=1']) {
      const { status, headers, text } = await http.send('GET', path, null);
      expect({ path, status, text }).toEqual({ path, status: 200, text: PAGE });
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
    }
    expect((await http.send('GET', '/healthz', null)).body).toEqual({ alive: true });
    expect((await http.send('GET', '/openapi.json', null)).body.openapi).toBe('3.1.0');
    expect((await http.get('/sessions')).status).toBe(401);
  });

  it('[CN3] it may run what is served here and nothing else, and is in nobody’s frame', async () => {
    const http = await open();
    const { headers } = await http.send('GET', '/', null);
    const host = `127.0.0.1:${http.port}`;
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws://${host} wss://${host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
    });
    expect((await http.send('GET', '/assets/index-abc123.js', null)).headers['content-security-policy']).toBeDefined();
  });

  it('[CN4] caches files with hashed names permanently; revalidates all others', async () => {
    const http = await open();
    const page = await http.send('GET', '/', null);
    const script = await http.send('GET', '/assets/index-abc123.js', null);
    expect(page.headers['cache-control']).toBe('no-cache');
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    const etag = String(page.headers.etag);
    const again = await http.send('GET', '/', null, { headers: { 'if-none-match': `"other", W/${etag}` } });
    expect([again.status, again.text]).toEqual([304, '']);
    const other = await http.send('GET', '/', null, { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
    expect(script.headers.etag).not.toBe(page.headers.etag);
  });

  it('[CN4] compresses as the browser accepts it, with an ETag per encoding', async () => {
    const { port } = await open();
    const ask = (accepted: string) => bytesOf(port, '/assets/index-abc123.js', { 'accept-encoding': accepted });
    const [br, gz, plain, refused] = await Promise.all(['gzip, br', 'gzip', '', 'br;q=0, gzip; q=0.0'].map(ask));
    expect(brotliDecompressSync(br?.body ?? '').toString()).toBe(SCRIPT);
    expect(gunzipSync(gz?.body ?? '').toString()).toBe(SCRIPT);
    expect([plain?.body.toString(), refused?.body.toString()]).toEqual([SCRIPT, SCRIPT]);
    expect(br?.headers).toMatchObject({ 'content-encoding': 'br', vary: expect.stringContaining('accept-encoding') });
    expect(br?.body.length).toBe(Number(br?.headers['content-length']));
    expect(new Set([br, gz, plain].map((one) => one?.headers.etag)).size).toBe(3);
    expect((br?.body.length ?? 0) < SCRIPT.length / 10).toBe(true);
  });

  it('[CN2] HEAD says what GET would, without the page', async () => {
    const http = await open();
    const [head, get] = [await http.send('HEAD', '/', null), await http.send('GET', '/', null)];
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers.etag).toBe(get.headers.etag);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('[UI2] the page says whether a token is needed; who came through a proxy needs one', async () => {
    const need = async (serving: ServeOptions, headers: Record<string, string> = {}) =>
      (await bytesOf((await open(serving)).port, '/', headers)).headers['parley-auth'];
    expect(await need({})).toBe('needed');
    expect(await need({ auth: { none: true } })).toBe('none');
    expect(await need({ auth: { none: true } }, { 'x-forwarded-for': '203.0.113.9' })).toBe('needed');
  });

  it('[CN1] the port tells where it is, and nothing where it is not', async () => {
    const { hub } = await startedHub();
    const [on, off] = [
      await hub.listen({ port: 0, console: { folder: join(folder, 'pages') } }),
      await hub.listen({ port: 0 }),
    ];
    expect(on.console).toBe(`http://127.0.0.1:${on.port}/`);
    expect(off.console).toBe(null);
  });
});
