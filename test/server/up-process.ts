/** `parley up` as a process: its output and its end. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../package/repository.ts';
import { type BuiltScript, builtScript } from '../support/built-script.ts';

/** The command as one plain file: it starts in a fifth of the time. */
export const builtCommand = (): Promise<BuiltScript> => builtScript('src/cli/main.ts');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export class UpProcess {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  #out = '';
  #err = '';

  constructor(command: Pick<BuiltScript, 'path'>, ...args: readonly string[]) {
    this.#child = spawn(process.execPath, [command.path, 'up', ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk) => {
      this.#out += chunk;
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.#err += chunk;
    });
    this.ended = once(this.#child, 'close').then(([code]) => ({ code, out: this.#out, err: this.#err }));
  }

  /** Where it listens. */
  async url(): Promise<string> {
    for (;;) {
      const [, url] = /listens on (wss?:\S+).*Ctrl-C/s.exec(this.#out) ?? [];
      if (url !== undefined) return url;
      const { stdout } = this.#child;
      if (stdout === null) throw new Error('its output is not read');
      await Promise.race([once(stdout, 'data'), this.ended.then(({ err }) => Promise.reject(new Error(err)))]);
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

export async function operatorToken(data: string): Promise<string> {
  return (await readFile(join(data, 'operator-token'), 'utf8')).trim();
}
