// `npm start`: its printed commands work, and it stops when asked to.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, read, required, root, run, withoutNpm } from '../../package/repository.ts';
import { itDeep } from '../../support/size.ts';
import { python, whyNoPython } from '../websocket/python.ts';

const BUILD_MS = 180_000;
const readme = read('README.md');

/** In a separate process group, so that Ctrl-C can be sent to all of it, as a terminal does. */
function npmStart(...args: string[]): Started {
  const child = spawn('npm', ['start', '--', ...args], { cwd: root, env: withoutNpm(), detached: true });
  return new Started(child);
}

class Started {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  output = '';

  constructor(child: ChildProcess) {
    this.child = child;
    this.exit = once(child, 'close').then(([code]) => code);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => this.hear(String(text)));
  }

  private hear(text: string): void {
    this.output += text;
    this.child.emit('heard');
  }

  async says(words: string): Promise<void> {
    while (!this.output.includes(words)) {
      const ended = await Promise.race([once(this.child, 'heard').then(() => false), this.exit.then(() => true)]);
      if (ended && !this.output.includes(words)) throw new Error(`it ended without "${words}":\n${this.output}`);
    }
  }

  /** Kills remaining processes. */
  async cut(): Promise<void> {
    if (this.child.exitCode === null && this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGKILL');
    await this.exit;
  }
}

function sh(command: string, path = process.env.PATH ?? ''): Promise<Ended> {
  return run('sh', ['-c', command], { env: { ...withoutNpm(), PATH: path } });
}

describe.skipIf(process.platform === 'win32')('npm start', () => {
  const data = join(mkdtempSync(join(tmpdir(), 'parley-start-')), 'data of mine');
  let hub: Started;

  beforeAll(async () => {
    hub = npmStart('--port', '0', '--data', data);
    await hub.says('Press Ctrl-C to stop.');
  }, BUILD_MS);

  afterAll(async () => {
    await hub.cut();
    rmSync(dirname(data), { recursive: true, force: true });
  });

  /** The commands it printed, below the word on what each is. */
  const commands = (): string[] => [...hub.output.matchAll(/^ {2}# .+\n {2}(.+)$/gm)].map(([, line = '']) => line);

  it('[PK7] says where it listens, where its data and its token are, and three things to try', () => {
    expect(hub.output).toMatch(/^Parley listens on ws:\/\/127\.0\.0\.1:\d+$/m);
    expect(hub.output).toContain(`  data            ${data}\n  operator token  ${data}/operator-token\n`);
    expect(statSync(join(data, 'operator-token')).mode & 0o777).toBe(0o600);
    expect(commands()).toHaveLength(3);
  });

  itDeep('[PK7] its first thing to try runs as it is printed: two processes meet at this hub', async () => {
    const { code, output } = await sh(commands()[0] ?? '');
    const url = /ws:\S+/.exec(hub.output)?.[0];
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(`over ${url} bob says: 4\n`) });
  });

  it.skipIf(python === null && !required('python'))(
    `[PK7] its second thing to try runs as it is printed: an agent in Python${whyNoPython}`,
    async () => {
      const path = [dirname(python ?? ''), process.env.PATH].join(delimiter);
      const env = {
        ...withoutNpm(),
        PATH: python === 'python3' ? process.env.PATH : path,
        PARLEY_URL: /ws:\S+/.exec(hub.output)?.[0],
        PARLEY_DATA: data,
      };
      const bela = new Started(spawn('sh', ['-c', commands()[1] ?? ''], { cwd: root, env, detached: true }));
      try {
        await bela.says('ask: ');
        const [, ask = ''] = /ask: (npx parley .+)/.exec(bela.output) ?? [];
        const { code, output } = await run('sh', ['-c', `${ask} 2>/dev/null`], { env });
        expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('You asked: What is 2 + 2?') });
        expect(await bela.exit).toBe(0);
      } finally {
        await bela.cut();
      }
    },
  );

  it('[PK7] its third thing to try runs as it is printed: the hub says that it is ready', async () => {
    const line = commands()[2] ?? '';
    expect(line).toMatch(/^curl http:\/\/127\.0\.0\.1:\d+\/readyz$/);
    expect(await (await fetch(line.slice('curl '.length))).json()).toEqual({ ready: true, reason: null });
  });

  itDeep('[PK6, PK7] the question of the README is put and answered as it stands there', async () => {
    const [, join = ''] = /^```sh\n(npm run parley -- join .+)\n```$/m.exec(readme) ?? [];
    const [, open = '', shown = ''] =
      /^```console\n\$ (npm run parley -- open .+)\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    const env = { ...withoutNpm(), PARLEY_URL: /ws:\S+/.exec(hub.output)?.[0], PARLEY_DATA: data, NO_COLOR: '1' };
    const bob = new Started(spawn('sh', ['-c', join], { cwd: root, env, detached: true }));
    try {
      await bob.says('you are bob');
      const asked = run('sh', ['-c', `${open} 2>/dev/null`], { env });
      await bob.says('your turn');
      bob.child.stdin?.write('4\n');
      const { code, output } = await asked;
      // The state is that of the moment it is read, and an answer may be quick.
      const plain = (text: string): string =>
        text.replace(/^(>.*)?\n/gm, '').replace(/\b[0-9a-f]{32} {2}(ACTIVE|CLOSING|CLOSED)$/m, '<id>');
      expect({ code, output: plain(output) }).toEqual({ code: 0, output: plain(shown) });
    } finally {
      await bob.cut();
    }
  });

  itDeep(
    '[PK7] a second one on the same folder, or the same port, says who has it and what to type',
    async () => {
      const port = /127\.0\.0\.1:(\d+)/.exec(hub.output)?.[1] ?? '';
      const folder = npmStart('--port', '0', '--data', data);
      expect(await folder.exit).toBe(7);
      expect(folder.output).toMatch(
        /parley: data folder .* is in use by process \d+.*\nChoose another folder: .*npm start -- --data/,
      );
      const taken = npmStart('--port', port, '--data', join(dirname(data), 'other'));
      expect(await taken.exit).toBe(7);
      expect(taken.output).toMatch(
        /parley: port \d+ of 127\.0\.0\.1 is in use.*\nChoose another port .*.*npm start -- --port 4748/,
      );
    },
    BUILD_MS,
  );

  itDeep.each([
    ['Ctrl-C, which reaches every process of a terminal,', 'SIGINT', 'group'],
    ['SIGTERM to npm alone', 'SIGTERM', 'npm'],
  ] as const)(
    '[PK7] %s stops it cleanly, and it can be started again',
    async (_what, signal, whom) => {
      const { pid = 0 } = hub.child;
      process.kill(whom === 'group' ? -pid : pid, signal);
      // How npm itself ends is its own affair.
      await hub.exit;
      expect(hub.output).toContain(`${signal}: saying goodbye and writing pending data\nstopped\n`);
      hub = npmStart('--port', '0', '--data', data);
      await hub.says('Press Ctrl-C to stop.');
    },
    BUILD_MS,
  );

  itDeep.each(['SIGINT', 'SIGTERM'] as const)('[PK7] %s to the hub itself ends it with exit code 0', async (signal) => {
    const args = ['.ci/start.mjs', '--port', '0', '--data', join(dirname(data), signal)];
    const alone = new Started(spawn(process.execPath, args, { cwd: root, env: withoutNpm() }));
    await alone.says('Press Ctrl-C to stop.');
    alone.child.kill(signal);
    expect(await alone.exit).toBe(0);
  });
});
