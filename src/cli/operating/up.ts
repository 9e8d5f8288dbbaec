/** `parley up`: runs a hub. */

import { relative, resolve } from 'node:path';
import { HubError } from '../../core/lib/errors.ts';
import { reachableHost } from '../../server/auth/hosts.ts';
import { LOG_LEVELS } from '../../server/telemetry/line-log.ts';
import type { ConformanceUp, UpEvent, UpOptions } from '../../server/up.ts';
import { packageFolder } from '../../system/package.ts';
import { resolveDataFolders } from '../connecting/hub-target.ts';
import { type Command, inGroup } from '../terminal/command.ts';
import { usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine } from '../terminal/printable.ts';

export const up: Command = {
  name: 'up',
  summary: 'Run a hub on 127.0.0.1:4747 with its data in .parley',
  details:
    'Shuts down cleanly on Ctrl-C or SIGTERM. Reads parley.config.json, .yaml, .yml, .ts, .js or .mjs in this folder if there is one; all agents of that file must join before the port opens; if one cannot, the hub does not start. Precedence: command-line options, then the config file, then defaults.',
  options: [
    { name: 'port', value: 'number', help: 'Port to listen on; 0 = any free port (default: 4747)' },
    { name: 'host', value: 'name', help: 'Address to listen on (default: 127.0.0.1)' },
    { name: 'data', value: 'folder', help: 'Data folder [env: PARLEY_DATA] (default: .parley)', values: 'folder' },
    {
      name: 'config',
      value: 'file',
      help: 'Config file (default: the one in this folder); see docs/reference/config.md',
      values: 'file',
    },
    {
      name: 'log-level',
      value: 'level',
      help: 'Log level on stderr: debug, info, warn, error or silent (default: info)',
      values: LOG_LEVELS,
    },
    { name: 'no-console', help: 'Do not serve the web console' },
    ...inGroup('Security options', [
      { name: 'tls-cert', value: 'file', help: 'PEM certificate; enables wss', values: 'file' },
      { name: 'tls-key', value: 'file', help: 'PEM key of the certificate', values: 'file' },
      {
        name: 'auth',
        value: 'proof',
        help: 'tokens of this hub, or none: any local client may use any name, without operator rights (default: tokens)',
        values: ['tokens', 'none'],
      },
    ]),
    ...inGroup('Governed run options', [
      {
        name: 'run',
        value: 'folder',
        help: 'Serve the governed runs of this project as sessions; "parley run" there asks this hub',
        values: 'folder',
        isMany: true,
      },
      {
        name: 'holds',
        value: 'role=name',
        help: 'Assign a role to a participant, such as dev=alice; requires exactly one --run (default: the runtimes of agentxchain.json)',
        isMany: true,
      },
      { name: 'conformance', help: 'Serve conformance fixtures under /conform/ (they run commands: loopback only)' },
      {
        name: 'conformance-token',
        value: 'token',
        help: 'Token for the fixtures; other users can see arguments, so prefer the variable [env: PARLEY_CONFORMANCE_TOKEN] (default: created in the data folder)',
      },
    ]),
  ],
  examples: [
    ['Run a hub in this folder', 'parley up'],
    ['Run a second hub', 'parley up --port 0 --data /tmp/hub'],
    ['Start a team of agents with it', 'parley up --config team.yaml --log-level warn'],
    ['Serve the governed runs of this project', 'parley up --run . --holds dev=alice'],
    ['Serve conformance fixtures', 'parley up --conformance'],
  ],
  json: 'Lines {"event": "listening", "url", "host", "data", "token_file", "console"} (with --conformance also "conformance": {"url", "token_file"}), {"event": "stopping", "signal"}, {"event": "stopped"}; for a config file {"event": "joined", "name", "agent_id", "provider", "model"}, {"event": "gone", "name", "reason", "retry_in_ms"}, {"event": "schedule", "name", "schedule_id", "what"}; for --run {"event": "serves", "root", "runner", "operator"}.',
  async run(args, io) {
    // Loaded here so that help and version start fast.
    const [{ up: run }, { resolveUpSettings, servedProjects, startInOrder }, { findPlan }, { startAgents }] =
      await Promise.all([
        import('../../server/up.ts'),
        import('./up-settings.ts'),
        import('../../config/plan.ts'),
        import('../../config/start-agents.ts'),
      ]);
    const plan = await findPlan(args.values.config, io.env, { data: resolveDataFolders(args, io) });
    if (plan !== null && args.values.config === undefined) io.note(`config file: ${plan.loaded.file}`);
    const settings = await resolveUpSettings(args, io, plan?.loaded.config.hub ?? {}).catch(rethrowAsUsageError);
    const report = (event: UpEvent): void => reportEvent(io, event);
    const roots = await servedProjects(args, settings.data);
    const startAll: UpOptions['startAgents'] = (hub, log) =>
      startInOrder([
        ...(plan === null ? [] : [() => startAgents(hub, plan, report, log)]),
        ...roots.map((serve) => () => serve(hub, log, report)),
      ]);
    await run({ ...settings, tell: report, startAgents: startAll }).catch(rethrowAsUsageError);
    return EXIT.done;
  },
};

/** Adds help for the options and the config file: the error may be about either. */
function rethrowAsUsageError(thrown: unknown): never {
  if (!(thrown instanceof HubError) || (thrown.code !== 'bad_options' && thrown.code !== 'unsafe_auth')) throw thrown;
  const hint = 'Run "parley up --help" for the options; see docs/reference/config.md for the settings of the file.';
  throw usageError(thrown.code, thrown.message, hint);
}

function reportEvent(io: Io, event: UpEvent): void {
  io.put(event);
  switch (event.event) {
    case 'listening':
      return io.say(
        welcomeLines({
          url: event.url,
          data: event.data,
          tokenFile: event.token_file,
          console: event.console,
          isEverywhere: reachableHost(event.host) !== event.host,
          conformance: event.conformance,
        }).join('\n'),
      );
    case 'joined':
      return io.say(`${event.name} joined (${[event.provider, event.model].filter((one) => one).join(' ')})`);
    case 'gone':
      return io.note(`${event.name} disconnected: ${event.reason}; ${retryText(event.retry_in_ms)}`);
    case 'serves':
      return io.say(printableLine(`serving the runs of ${event.root}`));
    case 'schedule':
      return io.say(`schedule ${event.name}: ${event.what}`);
    case 'stopping':
      return io.say(`${event.signal}: saying goodbye and writing pending data`);
    case 'stopped':
      return io.say('stopped');
  }
}

function retryText(ms: number | null): string {
  return ms === null ? 'it rejoins at the next start' : `retrying in ${ms / 1000} s`;
}

interface Up {
  readonly url: string;
  readonly data: string;
  readonly tokenFile: string;
  /** Console URL; null if not served. */
  readonly console: string | null;
  /** True if the hub listens on all addresses. */
  readonly isEverywhere: boolean;
  readonly conformance?: ConformanceUp | undefined;
}

/** Hub URL and data folder that the examples use by default. */
const DEFAULT_URL = 'ws://127.0.0.1:4747';
const DEFAULT_DATA = '.parley';

export function welcomeLines(up: Up): readonly string[] {
  const tries = thingsToTry(up);
  return [
    `Parley listens on ${up.url}${up.isEverywhere ? ' (and on all other addresses of this machine)' : ''}`,
    `  data            ${up.data}`,
    `  operator token  ${up.tokenFile}`,
    ...(up.console === null ? [] : [`  console         ${up.console} (sign in with a token, such as the operator's)`]),
    `  coding agents   ${up.url.replace(/^ws/, 'http')}/mcp (MCP); to set one up: ${settingsOf(up)}${parley()} mcp install claude`,
    ...conformanceLines(up),
    '',
    'Try one of these in another terminal, in this folder:',
    ...tries.map(({ what, command }) => `  # ${what}\n  ${command}`),
    '',
    'Press Ctrl-C to stop.',
  ];
}

function conformanceLines({ conformance }: Up): readonly string[] {
  if (conformance === undefined) return [];
  const { url, token_file } = conformance;
  return [
    `  conformance     ${url}/conform/ (runs the commands of fixtures)`,
    `  its token       ${token_file ?? 'as passed in'}`,
  ];
}

interface Try {
  readonly what: string;
  readonly command: string;
}

function thingsToTry(up: Up): readonly [Try, Try, Try] {
  const where = settingsOf(up);
  const folder = packageFolder();
  const examples = relative('', resolve(folder, 'examples/websocket'));
  const python = {
    what: 'run an agent in Python that answers one question (requires the package websockets)',
    command: `${where}python3 ${examples}/client.py`,
  };
  const ready = { what: 'check readiness', command: `curl ${up.url.replace(/^ws/, 'http')}/readyz` };
  if (resolve('') !== folder) {
    return [python, ready, { what: 'watch a demo of every session type', command: 'npx parley demo' }];
  }
  const two = `${where}npm run example ${examples}/two-processes.ts`;
  return [{ what: 'run two agents in two processes', command: two }, python, ready];
}

/** The command to type in this folder: a clone does not install `parley`. */
function parley(): string {
  return resolve('') === packageFolder() ? 'npm run -s parley --' : 'npx parley';
}

/** Environment variables for the examples; empty if the defaults fit. */
function settingsOf({ url, data }: Up): string {
  const settings = [
    ...(url === DEFAULT_URL ? [] : [`PARLEY_URL=${url}`]),
    ...(resolve(data) === resolve(DEFAULT_DATA) ? [] : [`PARLEY_DATA=${quoted(data)}`]),
  ];
  return settings.map((setting) => `${setting} `).join('');
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
