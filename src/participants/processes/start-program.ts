/** Starts a program without a shell or terminal, in its own session, marked by a variable and an open file. */

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
  feed(text: string | undefined): void;
  /** null if the program has no stdin; writers must handle its errors. */
  readonly stdin: Writable | null;
  /** Resolves when the program has exited; other processes may still hold its pipes. */
  readonly exited: Promise<unknown>;
  /** null while the program is running. */
  exit(): Exit | null;
  /** Resolves when the program has exited and its output is read. */
  readonly closed: Promise<unknown>;
  /** Closes the pipes, even if other processes hold them, and unregisters the run. */
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
    const release = (): void => {
      for (const pipe of [child.stdin, stdout, stderr]) pipe?.destroy();
      forgetRun(mark);
    };
    const feedChild = (text: string | undefined): void => feed(child, text);
    return { family, stdin: child.stdin, stdout, stderr, feed: feedChild, exited, exit: () => exit, closed, release };
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

/** Writes everything immediately; the rest waits in memory until the pipe drains. */
function feed({ stdin }: ChildProcess, text: string | undefined): void {
  // A program may exit or close its stdin without reading everything.
  stdin?.on('error', () => {});
  stdin?.end(text);
}

function prepareHome(program: Program): void {
  if (program.home === undefined) return;
  try {
    makeHome(program.home);
  } catch (thrown) {
    throw spawnError(program, `its home folder ${program.home} cannot be created: ${asError(thrown).message}`);
  }
}

/** Opens an empty read-only file as mark; null without a process table or on failure: the variable remains as mark. */
function openMark(mark: string): number | null {
  if (!hasProcessTable) return null;
  const path = join(tmpdir(), mark);
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    // The process table still shows the name.
    unlinkSync(path);
  } catch {
    closeMark(fd);
    return null;
  }
  return fd;
}

/** Closes our copy; the program keeps its own. */
function closeMark(fd: number | null): void {
  if (fd !== null) closeSync(fd);
}
