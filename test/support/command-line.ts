/** The command as users meet it: arguments in, an exit code and two streams out; with a hub to talk to. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { Streams } from '../../src/cli/terminal/io.ts';
import { root } from '../package/repository.ts';
import { builtCommand, type Ended, UpProcess } from '../server/up-process.ts';
import type { BuiltScript } from './built-script.ts';

/** Settings of the test machine must not count. */
const OWN = /^(PARLEY_|NO_COLOR|FORCE_COLOR)/;
const plainEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN.test(name)));

export class CommandLine {
  readonly folder: string;
  readonly data: string;
  readonly command: BuiltScript;
  url = '';
  private up: UpProcess | null = null;

  private constructor(command: BuiltScript, folder: string) {
    this.command = command;
    this.folder = folder;
    this.data = join(folder, 'hub');
  }

  static async open(): Promise<CommandLine> {
    return new CommandLine(await builtCommand(), await mkdtemp(join(tmpdir(), 'parley-cli-')));
  }

  async startHub(...args: readonly string[]): Promise<void> {
    this.up = new UpProcess(this.command, '--data', this.data, '--port', '0', ...args);
    this.url = await this.up.url();
  }

  async stopHub(): Promise<void> {
    this.up?.kill('SIGTERM');
    await this.up?.ended;
    this.up = null;
  }

  get env(): NodeJS.ProcessEnv {
    return { ...plainEnv, PARLEY_URL: this.url, PARLEY_DATA: this.data, PARLEY_NAME: 'alice' };
  }

  spawn(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd: string = root): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [this.command.path, ...args], { cwd, env: { ...this.env, ...env } });
  }

  /** Runs a process to its end, for tests of stdin, signals, HOME or exit codes. */
  async run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const joined = new Joined(this.spawn(args, env));
    const code = await joined.end();
    return { code, out: joined.out, err: joined.err };
  }

  /** Runs the command in this process, fifty times faster, if it reads no input and ends. */
  async here(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const streams = { stdout, stderr, env: { ...this.env, ...env } };
    const code = await runCommandLine(args, streams as unknown as Streams);
    return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
  }

  /** The lines on stdout as JSON; fails if one is not. */
  async json(...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
    const { code, out, err } = await this.here([...args, '--json']);
    if (code !== 0) throw new Error(`parley ${args.join(' ')} ended with ${code}: ${err}`);
    return linesOf(out);
  }

  /** A participant without a terminal. */
  join(name: string, ...args: readonly string[]): Joined {
    return new Joined(this.spawn(['join', '--name', name, '--human', '--json', ...args]));
  }

  async close(): Promise<void> {
    await this.stopHub();
    await this.command.remove();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function linesOf(out: string): readonly Record<string, unknown>[] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** A long-lived command: its output, and a way to wait for more. */
export class Joined {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  out = '';
  err = '';

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    child.stdout.on('data', (chunk) => {
      this.out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      this.err += chunk;
    });
    this.ended = once(child, 'close').then(([code]) => code);
  }

  type(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  /** Resolves once its output matches; the test's time limit applies. */
  async says(wanted: string | RegExp): Promise<void> {
    const has = (): boolean => (typeof wanted === 'string' ? this.out.includes(wanted) : wanted.test(this.out));
    while (!has()) {
      const over = await Promise.race([once(this.child.stdout, 'data').then(() => false), this.ended.then(() => true)]);
      if (over && !has()) throw new Error(`it ended without ${wanted}:\n${this.out}\n${this.err}`);
    }
  }

  /** Ends its input, and so the command. */
  async end(): Promise<number | null> {
    this.child.stdin.end();
    return this.ended;
  }
}
