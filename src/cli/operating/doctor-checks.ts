/** What `parley doctor` looks at, one after the other. None of it throws: what cannot be looked at is what is wrong. */

import { existsSync } from 'node:fs';
import { mkdir, open, rm, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { AgentClient } from '../../client/agent-client.ts';
import { asError } from '../../core/lib/errors.ts';
import type { Health } from '../../core/protocol/operations/console-hub.ts';
import { operatorTokenFile } from '../../server/auth/operator-token.ts';
import { once } from '../../system/once.ts';
import { withHub } from '../connecting/connect.ts';
import { dataFolder, hubUrl } from '../connecting/hub-target.ts';
import { formatBytes } from '../maintenance/with-store.ts';
import type { CommandArgs } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do about it; empty = nothing. */
  readonly hint: string;
}

const SYNCS = 20;
/** A disk that takes longer makes every post slow. */
const SLOW_SYNC_MS = 50;
/** A journal file is filled with zeros before it is used; with less there is no room for a few of them. */
const LEAST_FREE_BYTES = 256 * 1024 * 1024;
const CLOCK_MS = 2_000;

export function createChecks(args: CommandArgs, io: Io): readonly (() => Promise<Check>)[] {
  const data = dataFolder(args, io);
  // A refusal of `looking` tells more than its notes would here.
  const quiet: Io = { ...io, note: () => {} };
  const health = once(() => withHub(args, quiet, 'reader', askHealth));
  return [
    node,
    () => contained('folder', 'Whose is it? Run it as that user, or give another with --data.', () => folder(data)),
    () => contained('disk', 'Give another folder with --data.', () => disk(data)),
    () => contained('sync', 'Give a folder on a local disk with --data.', () => sync(data)),
    () => contained('port', 'Free it, or run "parley up --port 4748".', () => port(hubUrl(args, io), health)),
    () => contained('clock', 'Set the clock of this machine.', () => clock(health)),
  ];
}

async function contained(name: string, hint: string, look: () => Promise<Omit<Check, 'name'>>): Promise<Check> {
  try {
    return { name, ...(await look()) };
  } catch (thrown) {
    return { name, ok: false, found: asError(thrown).message, hint };
  }
}

async function node(): Promise<Check> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  const found = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  return { name: 'environment', ok, found, hint: ok ? '' : 'Node 20.19 or later is needed.' };
}

async function folder(data: string): Promise<Omit<Check, 'name'>> {
  if (!existsSync(data)) return { ok: true, found: `${data} is not there yet; "parley up" makes it`, hint: '' };
  const { lockFolder } = await import('../../store/folder-lock.ts');
  const file = operatorTokenFile(data);
  const mode = existsSync(file) ? (await stat(file)).mode & 0o077 : 0;
  if (mode !== 0 && process.platform !== 'win32') {
    return {
      ok: false,
      found: `others can read ${file}`,
      hint: `chmod 600 ${file}; if it was seen, revoke it: "parley token revoke"`,
    };
  }
  if (!existsSync(join(data, 'parley.json'))) return { ok: true, found: `${data} has nothing in it yet`, hint: '' };
  const unlock = await lockFolder(data).catch(() => null);
  await unlock?.();
  return {
    ok: true,
    found: unlock === null ? `${data}, which a hub has open` : `${data}, which no hub has open`,
    hint: '',
  };
}

async function disk(data: string): Promise<Omit<Check, 'name'>> {
  const { bavail, bsize } = await statfs(nearestFolder(data));
  const free = bavail * bsize;
  const ok = free >= LEAST_FREE_BYTES;
  return {
    ok,
    found: `${formatBytes(free)} free`,
    hint: ok ? '' : 'Make room, or "parley archive": a full disk stops the hub.',
  };
}

/** What a flush of the journal costs: a small write that goes through to the disk. */
async function sync(data: string): Promise<Omit<Check, 'name'>> {
  const within = existsSync(data) ? data : nearestFolder(data);
  const path = join(within, `.parley-doctor-${process.pid}`);
  await mkdir(within, { recursive: true });
  const file = await open(path, 'w');
  const times: number[] = [];
  try {
    for (let i = 0; i < SYNCS; i++) {
      const begin = performance.now();
      await file.write(Buffer.alloc(512, i), 0, 512, i * 512);
      await file.datasync();
      times.push(performance.now() - begin);
    }
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
  const middle = times.sort((a, b) => a - b)[SYNCS / 2] ?? 0;
  const ok = middle < SLOW_SYNC_MS;
  return {
    ok,
    found: `${middle.toFixed(2)} ms to sync a write`,
    hint: ok ? '' : 'Every post waits for that: a faster disk with --data.',
  };
}

async function port(url: string, looked: () => Promise<Looked>): Promise<Omit<Check, 'name'>> {
  const { hostname, port: value } = new URL(url);
  const answer = await looked().catch((thrown: unknown) => asError(thrown));
  if (!(answer instanceof Error)) {
    const { ready, reason, sessions, bound } = answer.health;
    const found = `a hub at ${url}: ${sessions.live} live sessions, ${bound} connected`;
    return ready
      ? { ok: true, found, hint: '' }
      : { ok: false, found: `${found}, not ready: ${reason}`, hint: 'Its log says more.' };
  }
  const free = await isFree(hostname, Number(value || 80));
  if (free === null)
    return { ok: false, found: answer.message, hint: 'Is the hub there running? "--url" names another.' };
  if (free) return { ok: true, found: `no hub at ${url}; the port is free for "parley up"`, hint: '' };
  return {
    ok: false,
    found: answer.message,
    hint: 'If that is a hub: which token, with "--token" or "--data"? If not: "parley up --port 4748".',
  };
}

/** null = it is not a port of this machine. */
function isFree(host: string, number: number): Promise<boolean | null> {
  return new Promise((settle) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => settle(code === 'EADDRINUSE' ? false : null));
    server.listen(number, host.replace(/^\[|\]$/g, ''), () => server.close(() => settle(true)));
  });
}

/** How the hub is, and by how many ms its clock is ahead of ours, as far as one can tell from here. */
interface Looked {
  readonly health: Health;
  readonly aheadMs: number;
}

async function askHealth(client: AgentClient): Promise<Looked> {
  const askedMs = Date.now();
  const health = await client.call('health', {});
  return { health, aheadMs: Math.round(Date.parse(health.time) - (askedMs + Date.now()) / 2) };
}

async function clock(looked: () => Promise<Looked>): Promise<Omit<Check, 'name'>> {
  const answer = await looked().catch(() => null);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const now = `${new Date().toISOString()} (${zone})`;
  if (answer === null) {
    const ok = Date.now() > Date.UTC(2025, 0);
    const hint = ok ? '' : 'Set the clock of this machine, and let it keep time: chrony, systemd-timesyncd.';
    return { ok, found: `${now}; no hub to compare with`, hint };
  }
  const { aheadMs } = answer;
  const ok = Math.abs(aheadMs) < CLOCK_MS;
  return {
    ok,
    found: `${now}; the hub is ${Math.abs(aheadMs)} ms ${aheadMs < 0 ? 'behind' : 'ahead'}`,
    hint: ok ? '' : 'Let this machine and that of the hub keep time: chrony, systemd-timesyncd.',
  };
}

function nearestFolder(path: string): string {
  let at = resolve(path);
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}
