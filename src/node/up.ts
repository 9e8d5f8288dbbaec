/** A process that is only a hub: keeps everything in a folder, listens on a port, and ends in good order when it is told to. */

import { once } from 'node:events';
import { HubError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { createHub, type LocalHub } from './create-hub.ts';
import { ensureOperatorToken } from './operator-token.ts';
import type { ServeOptions } from './wire/serve-options.ts';

export interface UpOptions extends ServeOptions {
  /** The folder where everything is kept. */
  readonly data: string;
  /** Writes a line for people. */
  readonly say: (line: string) => void;
  readonly log?: Log;
}

/** Resolves when it has ended, after SIGTERM or SIGINT. */
export async function up({ data, say, log, ...serving }: UpOptions): Promise<void> {
  const hub = await createHub({ data, exitOnStoreFailure: true, ...(log === undefined ? {} : { log }) }).catch(
    explained,
  );
  const port = await open(hub, serving);
  const tokenFile = await ensureOperatorToken(hub, data);
  for (const line of welcome(port.url, data, tokenFile)) say(line);
  const signal = await toldToEnd();
  say(`${signal}: saying goodbye and writing what is left`);
  await hub.stop();
  say('stopped');
}

async function open(hub: LocalHub, serving: ServeOptions): ReturnType<LocalHub['listen']> {
  try {
    return await hub.listen(serving);
  } catch (thrown) {
    await hub.stop();
    throw thrown;
  }
}

/** A second signal ends it at once: whoever sends it twice means it. */
async function toldToEnd(): Promise<string> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const signal = await Promise.race(signals.map((name) => once(process, name).then(() => name)));
  for (const name of signals) process.once(name, () => process.exit(1));
  return signal;
}

function welcome(url: string, data: string, tokenFile: string): readonly string[] {
  return [
    `Parley listens on ${url}`,
    `  data            ${data}`,
    `  operator token  ${tokenFile}`,
    '',
    'Try, in another terminal:',
    '  npm run example examples/websocket/two-processes.ts   two agents over this hub',
    '  npm run demo                                        sessions of every kind, played in one process',
    `  curl ${url.replace(/^ws/, 'http')}/readyz`,
    '',
    'Ctrl-C stops it.',
  ];
}

/** What may be wrong with a data folder is said there; here is only where it is. */
function explained(thrown: unknown): never {
  if (thrown instanceof HubError) throw thrown;
  throw new HubError('cannot_start', thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}
