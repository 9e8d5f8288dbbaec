/** Starts a program: no shell, its own session and group, no terminal, a mark in its environment and on a file it holds. */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { asError } from '../../core/lib/errors.ts';
import { makeHome, markOf } from './environment.ts';
import type { Program } from './program.ts';
import { explainSpawnError, spawnError } from './spawn-failure.ts';
import { hasProcessTable } from './tree/process-table.ts';
import { ProcessTree } from './tree/process-tree.ts';
import { expectRun, forgetRun, noteRun } from './tree/running.ts';

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface StartedProgram {
  readonly family: ProcessTree;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Writes its stdin. */
  feed(text: string | undefined): void;
  /** Null without any; who writes to it listens for its errors. */
  readonly stdin: Writable | null;
  /** The program itself has ended; others may still hold its pipes. */
  readonly exited: Promise<unknown>;
  /** How; null = it has not. */
  exit(): Exit | null;
  /** It has ended, and everything it wrote is read. */
  readonly closed: Promise<unknown>;
  /** Lets go of its pipes, whoever holds the other ends, and forgets it. */
  release(): void;
}

export async function startProgram(
  program: Program,
  environment: Readonly<Record<string, string>>,
): Promise<StartedProgram> {
  prepareHome(program);
  const mark = markOf(randomUUID());
  expectRun(mark);
  try {
    const { child, stdout, stderr, pid } = await spawned(program, { ...environment, [mark]: '1' }, mark);
    const family = new ProcessTree(pid, mark);
    noteRun(mark, program.tool, family);
    let exit: Exit | null = null;
    child.once('exit', (exitCode, signal) => {
      exit = { exitCode, signal };
    });
    const exited = once(child, 'exit');
    const closed = once(child, 'close');
    const { stdin } = child;
    return {
      family,
      stdin,
      stdout,
      stderr,
      feed: (text) => feed(child, text),
      exited,
      exit: () => exit,
      closed,
      release,
    };

    function release(): void {
      for (const pipe of [child.stdin, stdout, stderr]) pipe?.destroy();
      forgetRun(mark);
    }
  } catch (thrown) {
    forgetRun(mark);
    throw explainSpawnError(program, thrown, environment);
  }
}

interface Spawned {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly pid: number;
}

async function spawned(
  { command, args, cwd, stdin }: Program,
  env: Readonly<Record<string, string>>,
  mark: string,
): Promise<Spawned> {
  const held = openMark(mark);
  let child: ChildProcess;
  try {
    child = spawn(command, args, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      detached: true,
      shell: false,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', held ?? 'ignore'],
    });
  } finally {
    closeMark(held);
  }
  const { pid, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) {
    const [error] = await once(child, 'error');
    throw error;
  }
  return { child, stdout, stderr, pid };
}

/** All of it at once: what the pipe does not take waits in memory while the output is read. */
function feed({ stdin }: ChildProcess, text: string | undefined): void {
  // Who ends, or closes its stdin, without having read everything is free to do so.
  stdin?.on('error', () => {});
  stdin?.end(text);
}

function prepareHome(program: Program): void {
  if (program.home === undefined) return;
  try {
    makeHome(program.home);
  } catch (thrown) {
    throw spawnError(program, `its home folder ${program.home} cannot be made: ${asError(thrown).message}`);
  }
}

/** Read only, and empty. Null where nobody could look for it, or no file can be made; then there is one mark less. */
function openMark(mark: string): number | null {
  if (!hasProcessTable) return null;
  const path = join(tmpdir(), mark);
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    // The table of processes shows its name all the same.
    unlinkSync(path);
  } catch {
    closeMark(fd);
    return null;
  }
  return fd;
}

/** Ours; the program has its own. */
function closeMark(fd: number | null): void {
  if (fd !== null) closeSync(fd);
}
