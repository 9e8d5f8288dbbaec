#!/usr/bin/env node
/** The `parley` command. Exit codes: 0 = done, 1 = it failed, 2 = it was asked wrongly. */

import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { HubError } from '../core/errors.ts';
import { terminalOf } from './terminal.ts';

const DONE = 0;
const FAILED = 1;
const ASKED_WRONGLY = 2;

const HELP = `Usage: parley <command> [options]

A session-adapter messaging hub for AI agents, CLIs and people.

Commands:
  up               Run a hub: it listens on 127.0.0.1:4747, keeps everything in
                   .parley and ends in good order on Ctrl-C or SIGTERM.
  demo             Watch four sessions live and end: a hub in this process, scripted
                   agents and a person. Takes about twelve seconds; without a
                   terminal it does not pause and writes plain text.

Options of up:
  --port <number>  The port to listen on (4747; 0 = any that is free).
  --host <name>    The address to listen on (127.0.0.1).
  --data <folder>  Where everything is kept (.parley).
  --tls-cert <file>, --tls-key <file>
                   A certificate and its key, as PEM: then it speaks wss.
  --log-level <l>  debug, info (default), warn, error or silent.

Options:
  -h, --help       Show this help.
  -v, --version    Show the version.

Environment:
  NO_COLOR         Set to anything: no colour.

Exit codes:
  0  done    1  it failed    2  wrong arguments    74  the disk failed

Examples:
  parley up --port 0 --data /tmp/hub
  parley demo
  NO_COLOR=1 parley demo
`;

/** The demonstration promises to end by itself; if it hangs, that is a failure. */
const DEMO_MS = 20_000;

async function main(args: readonly string[]): Promise<number> {
  const asked = read(args);
  if (asked instanceof Error) return complain(asked.message);
  const [command, extra] = asked.positionals;
  if (asked.values.help === true) return say(HELP);
  if (asked.values.version === true) return say(`${version()}\n`);
  if (command === undefined) return complain('a command is missing');
  if (command !== 'demo' && command !== 'up') return complain(`there is no command "${command}"`);
  if (extra !== undefined) return complain(`"${command}" takes no arguments, got "${extra}"`);
  const { help: _help, version: _version, ...options } = asked.values;
  const [unwanted] = Object.keys(options);
  if (command === 'demo') return unwanted === undefined ? demo() : complain(`"demo" has no option --${unwanted}`);
  return runUp(options);
}

function read(args: readonly string[]): ReturnType<typeof parse> | Error {
  try {
    return parse(args);
  } catch (thrown) {
    // Only bad arguments make parseArgs throw; its first sentence names them.
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new Error(message.split('. ')[0] ?? message);
  }
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      port: { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
      'log-level': { type: 'string' },
    },
  });
}

async function demo(): Promise<number> {
  const tooLong = setTimeout(() => {
    process.stderr.write(`parley: the demonstration did not end within ${DEMO_MS / 1000} s\n`);
    process.exit(FAILED);
  }, DEMO_MS);
  try {
    // Loaded when it is needed: help and version come at once.
    const { runDemo } = await import('./demo/run-demo.ts');
    await runDemo(terminalOf(process.stdout, process.env));
    return DONE;
  } finally {
    clearTimeout(tooLong);
  }
}

/** What to type when a hub cannot start for this reason. */
const NEXT_STEPS: ReadonlyMap<string, string> = new Map([
  ['cannot_listen', 'Another port: "parley up --port 4748", in a clone "npm start -- --port 4748".'],
  [
    'data_in_use',
    'Another folder: "parley up --data other --port 4748", in a clone "npm start -- --data other --port 4748".',
  ],
]);

interface UpArguments {
  readonly port?: string | undefined;
  readonly host?: string | undefined;
  readonly data?: string | undefined;
  readonly 'tls-cert'?: string | undefined;
  readonly 'tls-key'?: string | undefined;
  readonly 'log-level'?: string | undefined;
}

async function runUp({ port, host, data = '.parley', ...files }: UpArguments): Promise<number> {
  if (port !== undefined && !/^\d{1,5}$/.test(port)) return complain(`--port: expected a number, got "${port}"`);
  const { 'log-level': logLevel } = files;
  const { up } = await import('./up.ts');
  try {
    const { tlsFromFiles } = await import('./tls-files.ts');
    const tls = await tlsFromFiles({ cert: files['tls-cert'], key: files['tls-key'] });
    const line = (text: string): void => void process.stdout.write(`${text}\n`);
    await up({
      data,
      host,
      tls,
      ...(port === undefined ? {} : { port: Number(port) }),
      say: line,
      ...(logLevel === undefined ? {} : { logLevel }),
    });
    return DONE;
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    const next = NEXT_STEPS.get(thrown.code);
    process.stderr.write(`parley: ${thrown.message}\n${next === undefined ? '' : `${next}\n`}`);
    return thrown.code === 'bad_options' ? ASKED_WRONGLY : FAILED;
  }
}

function say(text: string): number {
  process.stdout.write(text);
  return DONE;
}

function complain(problem: string): number {
  process.stderr.write(`parley: ${problem}\nTry "parley demo", or "parley --help" for all there is.\n`);
  return ASKED_WRONGLY;
}

function version(): string {
  // By the package's own name: the same from the sources and from what is built.
  const manifest: { readonly version: string } = createRequire(import.meta.url)('parley-hub/package.json');
  return manifest.version;
}

// Whoever reads the output may stop reading (`parley demo | head`): then there is nothing left to do.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? DONE : FAILED));

process.exitCode = await main(process.argv.slice(2)).catch((thrown: unknown) => {
  process.stderr.write(`parley: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`);
  return FAILED;
});
