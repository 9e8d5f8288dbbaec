/** `parley doctor`: checks environment, config file, data folder, port, disk and clock. */

import { existsSync } from 'node:fs';
import { mkdir, open, rm, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { AgentClient } from '../../client/agent-client.ts';
import type { Plan } from '../../config/plan.ts';
import { asError } from '../../core/lib/errors.ts';
import type { Health } from '../../core/protocol/operations/console-hub.ts';
import { operatorTokenFile } from '../../server/auth/operator-token.ts';
import { DEFAULT_PORT } from '../../server/port/serve-options.ts';
import { once } from '../../system/once.ts';
import { withHub } from '../connecting/connect.ts';
import { dataFolder, hubUrl, resolveDataFolders } from '../connecting/hub-target.ts';
import { formatBytes } from '../maintenance/with-store.ts';
import { type Command, type CommandArgs, READER_OPTION } from '../terminal/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check environment, config file, data folder, port, disk and clock',
  details:
    'Writes and removes a small file in the data folder, or beside it, to time the disk. Exits with 8 if something is wrong.',
  options: [
    {
      name: 'config',
      value: 'file',
      help: 'Config file to check (default: the one in this folder). Loads its scripts; no agent joins',
      values: 'file',
    },
    READER_OPTION,
  ],
  on: 'hub',
  examples: [
    ['Check this folder', 'parley doctor'],
    ['Check a config file', 'parley doctor --config team.yaml'],
    ['Check a data folder in a script', 'parley doctor --data /var/lib/parley --json'],
  ],
  json: '{"ok", "checks": [{"name", "ok", "found", "hint"}]}.',
  async run(args: CommandArgs, io: Io) {
    const checks: Check[] = [];
    const { check: config, around } = await checkConfigFile(args, io);
    const looks = createChecks(around, io);
    for (const look of config === null ? looks : [async () => config, ...looks]) {
      const check = await look();
      checks.push(check);
      if (!io.isJson) print(io, check);
    }
    const ok = checks.every((check) => check.ok);
    io.put({ ok, checks });
    return ok ? EXIT.done : EXIT.found;
  },
};

function print(io: Io, { name, ok, found, hint }: Check): void {
  const { paint } = io.terminal;
  const lines = found.replaceAll('\n', `\n${' '.repeat(20)}`);
  io.say(`${ok ? paint('ok   ', 'green') : paint('wrong', 'red')}  ${name.padEnd(12)} ${lines}`);
  if (!ok) io.say(paint(`                     ${hint}`, 'yellow'));
}

/** Checks the config file; `check` is null if there is none. The other checks then use the hub it describes. */
export async function checkConfigFile(
  args: CommandArgs,
  io: Io,
): Promise<{ readonly check: Check | null; readonly around: CommandArgs }> {
  const { findPlan } = await import('../../config/plan.ts');
  try {
    const plan = await findPlan(args.values.config, io.env, { data: resolveDataFolders(args, io) });
    if (plan === null) return { check: null, around: args };
    const check = { name: 'config', ok: true, found: summary(plan), hint: '' };
    return { check, around: withHubOf(args, io, plan) };
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown;
    const found = [thrown.message, ...thrown.problems].join('\n');
    return { check: { name: 'config', ok: false, found, hint: thrown.hint }, around: args };
  }
}

/** Lists names only: values may contain secrets. */
function summary({ loaded: { file, config } }: Plan): string {
  const parts = (['agents', 'roles', 'rules', 'schedules'] as const).flatMap((part) => {
    const names = Object.keys(config[part] ?? {});
    return names.length === 0 ? [] : [`${part} ${names.join(', ')}`];
  });
  return [file, ...parts].join('; ');
}

function withHubOf(args: CommandArgs, { env }: Io, { loaded }: Plan): CommandArgs {
  const { data, port = DEFAULT_PORT, host = '127.0.0.1', tls } = loaded.config.hub ?? {};
  const isElsewhere = args.values.url !== undefined || Boolean(env.PARLEY_URL);
  const url = `${tls === undefined ? 'ws' : 'wss'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const values = {
    ...(data === undefined ? {} : { data }),
    ...(isElsewhere || port === 0 ? {} : { url }),
    ...args.values,
  };
  return { ...args, values };
}

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** The remedy for the finding; empty if ok. */
  readonly hint: string;
}

const SYNCS = 20;
/** Every post waits for a sync, so a slower one is a problem. */
const SLOW_SYNC_MS = 50;
/** Room for a few journal files, which are filled with zeros before use. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
const CLOCK_MS = 2_000;

function createChecks(args: CommandArgs, io: Io): readonly (() => Promise<Check>)[] {
  const data = dataFolder(args, io);
  // Notes printed while connecting would disturb the report.
  const quiet: Io = { ...io, note: () => {} };
  const health = once(() => withHub(args, quiet, 'reader', askHealth));
  return [
    node,
    () => contained('folder', 'Run it as the owner, or choose another folder with --data.', () => folder(data)),
    () => contained('disk', 'Choose another folder with --data.', () => disk(data)),
    () => contained('sync', 'Choose a folder on a local disk with --data.', () => sync(data)),
    () => contained('port', 'Free it, or run "parley up --port 4748".', () => port(hubUrl(args, io), health)),
    () => contained('clock', 'Set the clock of this machine.', () => clock(health)),
  ];
}

type Finding = Omit<Check, 'name'>;

async function contained(name: string, hint: string, look: () => Promise<Finding>): Promise<Check> {
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
  return { name: 'environment', ok, found, hint: ok ? '' : 'Install Node 20.19 or later.' };
}

async function folder(data: string): Promise<Finding> {
  if (!existsSync(data)) return { ok: true, found: `${data} does not exist yet; "parley up" creates it`, hint: '' };
  const { lockFolder } = await import('../../store/folder-lock.ts');
  const file = operatorTokenFile(data);
  const mode = existsSync(file) ? (await stat(file)).mode & 0o077 : 0;
  if (mode !== 0 && process.platform !== 'win32') {
    const hint = `chmod 600 ${file}; if someone read it, revoke it with "parley token revoke"`;
    return { ok: false, found: `others can read ${file}`, hint };
  }
  if (!existsSync(join(data, 'parley.json'))) return { ok: true, found: `${data} is empty`, hint: '' };
  const unlock = await lockFolder(data).catch(() => null);
  await unlock?.();
  return { ok: true, found: `${data}, ${unlock === null ? 'in use by a hub' : 'not in use'}`, hint: '' };
}

async function disk(data: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestFolder(data));
  const free = bavail * bsize;
  const ok = free >= MIN_FREE_BYTES;
  const hint = ok ? '' : 'Free space, or run "parley archive": a full disk stops the hub.';
  return { ok, found: `${formatBytes(free)} free`, hint };
}

/** Times small synced writes, the main cost of a journal flush. */
async function sync(data: string): Promise<Finding> {
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
  const hint = ok ? '' : 'Every post waits for that: choose a faster disk with --data.';
  return { ok, found: `${middle.toFixed(2)} ms to sync a write`, hint };
}

async function port(url: string, looked: () => Promise<Looked>): Promise<Finding> {
  const { hostname, port: value } = new URL(url);
  const answer = await looked().catch((thrown: unknown) => asError(thrown));
  if (!(answer instanceof Error)) {
    const { ready, reason, sessions, bound } = answer.health;
    const found = `a hub at ${url}: ${sessions.live} live sessions, ${bound} connected`;
    if (ready) return { ok: true, found, hint: '' };
    return { ok: false, found: `${found}, not ready: ${reason}`, hint: 'See the log of the hub.' };
  }
  const free = await isFree(hostname, Number(value || 80));
  if (free === true) return { ok: true, found: `no hub at ${url}; the port is free for "parley up"`, hint: '' };
  const hint =
    free === null
      ? 'Is that hub running? Select another with "--url".'
      : 'If that is a hub, pass its token with "--token" or "--data"; otherwise run "parley up --port 4748".';
  return { ok: false, found: answer.message, hint };
}

/** True if the port is free; null if the host is not this machine. */
function isFree(host: string, number: number): Promise<boolean | null> {
  return new Promise((settle) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => settle(code === 'EADDRINUSE' ? false : null));
    server.listen(number, host.replace(/^\[|\]$/g, ''), () => server.close(() => settle(true)));
  });
}

/** Health of the hub, and by how many ms its clock is ahead of ours. */
interface Looked {
  readonly health: Health;
  readonly aheadMs: number;
}

async function askHealth(client: AgentClient): Promise<Looked> {
  const askedMs = Date.now();
  const health = await client.call('health', {});
  return { health, aheadMs: Math.round(Date.parse(health.time) - (askedMs + Date.now()) / 2) };
}

async function clock(looked: () => Promise<Looked>): Promise<Finding> {
  const answer = await looked().catch(() => null);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const now = `${new Date().toISOString()} (${zone})`;
  const advice = 'synchronize it: chrony, systemd-timesyncd.';
  if (answer === null) {
    const ok = Date.now() > Date.UTC(2025, 0);
    return {
      ok,
      found: `${now}; no hub to compare with`,
      hint: ok ? '' : `Set the clock of this machine and ${advice}`,
    };
  }
  const { aheadMs } = answer;
  const ok = Math.abs(aheadMs) < CLOCK_MS;
  const found = `${now}; the hub is ${Math.abs(aheadMs)} ms ${aheadMs < 0 ? 'behind' : 'ahead'}`;
  return { ok, found, hint: ok ? '' : `Check the clock of this machine and of the hub, and ${advice}` };
}

function nearestFolder(path: string): string {
  let at = resolve(path);
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}
