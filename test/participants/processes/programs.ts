/** Small real programs, each with its own mark, and a search in /proc for their remains. */

import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type AgentError, isAgentError } from '../../../src/participants/agent/agent-error.ts';
import type { Program } from '../../../src/participants/processes/run-program.ts';

export class Programs {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'parley-run-'));
  /** A variable that everything started here inherits. */
  readonly mark: string = `TEST_MARK_${randomUUID().replaceAll('-', '')}`;

  node(source: string, more: Partial<Program> = {}): Program {
    const script = this.file(`${randomUUID()}.mjs`, source);
    return this.program(process.execPath, [script], more);
  }

  sh(source: string, more: Partial<Program> = {}): Program {
    return this.program('/bin/sh', ['-c', source], more);
  }

  program(command: string, args: readonly string[], more: Partial<Program> = {}): Program {
    return { tool: 'fake', command, args, ...more, env: { [this.mark]: '1', ...more.env } };
  }

  file(name: string, text: string, mode = 0o644): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Living processes with the mark, as `pid command`. */
  left(): readonly string[] {
    return readdirSync('/proc').flatMap((pid) =>
      isMarked(pid, this.mark) ? [`${pid} ${read(`/proc/${pid}/cmdline`)}`] : [],
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A zombie has no environment and does not count. */
function isMarked(pid: string, mark: string): boolean {
  return /^\d+$/.test(pid) && read(`/proc/${pid}/environ`).includes(`${mark}=`);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** False for a zombie. */
export function isRunning(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** Guards of a process: children that wait for its end. */
export function guardsOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/cmdline`).includes(' parley-guard '))
    .filter((pid) => Number(/\) \w (\d+) /.exec(read(`/proc/${pid}/stat`))?.[1]) === parent)
    .map(Number);
}

/** The AgentError a promise rejects with. */
export async function failureOf(run: Promise<unknown>): Promise<AgentError> {
  const thrown = await run.then(
    (value) => new Error(`expected a failure, got ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!isAgentError(thrown)) throw thrown;
  return thrown;
}

/** Polls until the condition holds; otherwise fails with the last value. */
export async function eventually<Value>(ask: () => Value, isSo: (value: Value) => boolean): Promise<Value> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const value = ask();
    if (isSo(value)) return value;
    await pause(20);
  }
  throw new Error(`it never came to be so: ${JSON.stringify(ask())}`);
}
