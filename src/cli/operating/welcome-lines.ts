/** The welcome of `parley up`: its addresses and token, and commands to try that work as printed. */

import { relative, resolve } from 'node:path';
import type { ConformanceUp } from '../../server/up.ts';
import { packageFolder } from '../../system/package.ts';

interface Up {
  readonly url: string;
  readonly data: string;
  readonly tokenFile: string;
  /** Console URL; null if not served. */
  readonly console: string | null;
  /** The hub listens on all addresses. */
  readonly isEverywhere: boolean;
  readonly conformance?: ConformanceUp | undefined;
}

/** Defaults of the examples. */
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

/** The command as it is called from here: a clone does not install it. */
function parley(): string {
  return resolve('') === packageFolder() ? 'npm run -s parley --' : 'npx parley';
}

/** Environment of the examples; empty if the defaults fit. */
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
