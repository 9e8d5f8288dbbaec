/** What a hub says when it is up: where it is, where the token is, and three things to try that work as they stand. */

import { relative, resolve } from 'node:path';
import type { ConformanceUp } from '../../server/up.ts';
import { packageFolder } from '../../system/package.ts';

interface Up {
  readonly url: string;
  readonly data: string;
  readonly tokenFile: string;
  /** Where the console is; null = it is not served. */
  readonly console: string | null;
  /** Not only there. */
  readonly isEverywhere: boolean;
  /** Where fixtures are done, if they are. */
  readonly conformance?: ConformanceUp | undefined;
}

/** Where the examples look by themselves. */
const USUAL_URL = 'ws://127.0.0.1:4747';
const USUAL_DATA = '.parley';

export function welcomeLines(up: Up): readonly string[] {
  const tries = thingsToTry(up);
  return [
    `Parley listens on ${up.url}${up.isEverywhere ? ' (and on every other address of this machine)' : ''}`,
    `  data            ${up.data}`,
    `  operator token  ${up.tokenFile}`,
    ...(up.console === null ? [] : [`  console         ${up.console} (sign in with a token, such as the operator's)`]),
    `  coding agents   ${up.url.replace(/^ws/, 'http')}/mcp (MCP); to set one up: ${whereItIs(up)}${parley()} mcp install claude`,
    ...conformanceLines(up),
    '',
    'Three things to try, in another terminal, in this folder:',
    ...tries.map(({ what, command }) => `  # ${what}\n  ${command}`),
    '',
    'Ctrl-C stops it.',
  ];
}

function conformanceLines({ conformance }: Up): readonly string[] {
  if (conformance === undefined) return [];
  const { url, token_file } = conformance;
  return [
    `  conformance     ${url}/conform/ (it runs the commands of fixtures)`,
    `  its token       ${token_file ?? 'as it was given'}`,
  ];
}

interface Try {
  readonly what: string;
  readonly command: string;
}

function thingsToTry(up: Up): readonly [Try, Try, Try] {
  const where = whereItIs(up);
  const folder = packageFolder();
  const examples = relative('', resolve(folder, 'examples/websocket'));
  const python = {
    what: 'an agent in Python that answers one question (needs its package websockets; it says how to ask)',
    command: `${where}python3 ${examples}/client.py`,
  };
  const ready = { what: 'is it well?', command: `curl ${up.url.replace(/^ws/, 'http')}/readyz` };
  if (resolve('') !== folder) {
    return [python, ready, { what: 'sessions of every kind, in a hub of their own', command: 'npx parley demo' }];
  }
  const two = `${where}npm run example ${examples}/two-processes.ts`;
  return [{ what: 'two agents in two processes meet here', command: two }, python, ready];
}

/** How the command is called from here: after a clone it is not on the path. */
function parley(): string {
  return resolve('') === packageFolder() ? 'npm run -s parley --' : 'npx parley';
}

/** What the examples have to be told; nothing, if all is as usual. */
function whereItIs({ url, data }: Up): string {
  const settings = [
    ...(url === USUAL_URL ? [] : [`PARLEY_URL=${url}`]),
    ...(resolve(data) === resolve(USUAL_DATA) ? [] : [`PARLEY_DATA=${quoted(data)}`]),
  ];
  return settings.map((setting) => `${setting} `).join('');
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
