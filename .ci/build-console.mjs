// Bundles the console (src/console) into dist/console: index.html, and files whose names carry a hash of their content.
// No script or style is inline, so that the page runs under a policy that forbids both.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'dist/console.tsbuildinfo');

/** Inputs of the page: if none of that has changed, neither has the page. */
const made = ['src/console', 'src/client', 'src/core', '.ci/build-console.mjs', 'package-lock.json'];

/** Bundles the console into a folder, `dist/console` unless another is named. */
export async function buildConsole(outDir = join(root, 'dist/console')) {
  await build({
    configFile: false,
    root: join(root, 'src/console'),
    base: './',
    publicDir: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // An asset as data: would be inline, and what is preloaded needs no script of ours for it.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}

/** Bundles it only if something it is made of has changed since the last time. */
export async function keepConsole() {
  const now = fingerprint();
  const isKept = existsSync(stampFile) && existsSync(join(root, 'dist/console/index.html'));
  if (isKept && readFileSync(stampFile, 'utf8') === now) return;
  await buildConsole();
  writeFileSync(stampFile, now);
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of made.flatMap((path) => filesAt(join(root, path))).sort()) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function filesAt(path) {
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
