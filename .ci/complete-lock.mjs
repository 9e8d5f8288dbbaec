// Adds to package-lock.json the platform packages that the registry in use does not offer, so that `npm ci` accepts
// the lock file everywhere. Run it after `npm install` changed the lock file: node .ci/complete-lock.mjs
//
// Tools with native parts list one optional package per platform. npm leaves those it cannot fetch out of the lock
// file, and `npm ci` then refuses the whole file. An entry needs no more than its version and its platform.

import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = missingFrom(lock.packages);

if (process.argv.includes('--check')) {
  for (const { name } of missing) console.error(`package-lock.json lacks ${name}: run node .ci/complete-lock.mjs`);
  process.exitCode = missing.length === 0 ? 0 : 1;
} else if (missing.length > 0) {
  for (const { path, entry } of missing) lock.packages[path] = entry;
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`package-lock.json: added ${missing.length} platform packages`);
}

function missingFrom(packages) {
  const found = new Map();
  for (const [owner, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const path = `node_modules/${name}`;
      if (packages[path] || packages[`${owner}/${path}`]) continue;
      const platform = platformOf(name);
      // Without a platform in its name it would be installed everywhere: that is not ours to invent.
      if (platform.os || platform.cpu) found.set(path, { name, path, entry: entryOf(version, dev, platform) });
    }
  }
  return [...found.values()];
}

function entryOf(version, dev, platform) {
  return { version, ...platform, ...(dev ? { dev } : {}), optional: true };
}

function platformOf(name) {
  const words = name.split(/[/-]/);
  const among = (...known) => known.filter((word) => words.includes(word));
  const os = among(
    'aix',
    'android',
    'darwin',
    'freebsd',
    'linux',
    'netbsd',
    'openbsd',
    'openharmony',
    'sunos',
    'win32',
  );
  const cpu = among('arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64');
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : [];
  return Object.fromEntries(Object.entries({ cpu, libc, os }).filter(([, list]) => list.length > 0));
}
