/** Finds and signals a program and its descendants: its group, its session, marked processes, and their children. */

import { setTimeout as pause } from 'node:timers/promises';
import {
  hasProcessTable,
  hasVariable,
  holdsFile,
  type ProcessEntry,
  processIds,
  readProcess,
} from './process-table.ts';

/** Number of processes to inspect before yielding to the event loop. */
const AT_ONCE = 64;

export class ProcessTree {
  readonly pid: number;
  readonly #mark: string;
  /** Start time of the program: older processes cannot belong to it. */
  readonly #since: number;
  /** Every process ever found, even if it is no longer connected to the program. */
  readonly #known = new Map<number, ProcessEntry>();

  constructor(pid: number, mark: string) {
    this.pid = pid;
    this.#mark = mark;
    this.#since = hasProcessTable ? (readProcess(pid)?.startedAt ?? 0) : 0;
  }

  async living(): Promise<readonly number[]> {
    const steps = this.#look();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await new Promise((resume) => setImmediate(resume));
    }
  }

  /** Finds the living processes synchronously, for use while this process exits. */
  livingNow(): readonly number[] {
    const steps = this.#look();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** Cheap check for polling: inspects only processes found before. */
  get isAnyKnownAlive(): boolean {
    if (!hasProcessTable) return canSignal(-this.pid);
    for (const entry of this.#known.values()) if (isSame(entry, readProcess(entry.pid))) return true;
    return false;
  }

  /** Signals the whole group, so that no fork escapes, and each process outside the group. */
  signal(signal: 'SIGTERM' | 'SIGKILL', living: readonly number[]): void {
    if (living.some((pid) => pid === -this.pid || this.#known.get(pid)?.group === this.pid)) send(-this.pid, signal);
    for (const pid of living) if (pid > 0 && this.#known.get(pid)?.group !== this.pid) send(pid, signal);
  }

  *#look(): Generator<void, readonly number[]> {
    // Without a table only the group can be checked.
    if (!hasProcessTable) return canSignal(-this.pid) ? [-this.pid] : [];
    const younger: ProcessEntry[] = [];
    const found = new Map<number, ProcessEntry>();
    for (const [at, pid] of processIds().entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) yield;
      const entry = readProcess(pid);
      if (entry === null || entry.startedAt < this.#since || pid === process.pid) continue;
      if (this.#isOurs(entry)) found.set(pid, entry);
      else younger.push(entry);
    }
    addChildren(found, younger);
    for (const [pid, entry] of found) this.#known.set(pid, entry);
    return [...found.keys()];
  }

  #isOurs(entry: ProcessEntry): boolean {
    const { pid, group, session } = entry;
    const known = this.#known.get(pid);
    if (known !== undefined && isSame(known, entry)) return true;
    if (group === this.pid || session === this.pid) return true;
    return hasVariable(pid, this.#mark) || holdsFile(pid, this.#mark);
  }
}

/** Adds children, grandchildren and so on. */
function addChildren(found: Map<number, ProcessEntry>, others: readonly ProcessEntry[]): void {
  let rest = others;
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const entry of rest) if (found.has(entry.parent)) found.set(entry.pid, entry);
    rest = rest.filter(({ pid }) => !found.has(pid));
  }
}

/** Compares start times, because pids are reused. */
function isSame(known: ProcessEntry, now: ProcessEntry | null): boolean {
  return now !== null && now.startedAt === known.startedAt;
}

function canSignal(pid: number): boolean {
  return send(pid, 0);
}

/** False if the process is gone or we may not signal it. */
function send(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

const LOOK_EVERY_MS = 15;
/** After this time, a process that hangs in the kernel is given up. */
const KILL_WAIT_MS = 5_000;

/** Sends SIGTERM, then SIGKILL after `graceMs`. Resolves when no process is left, at the latest after KILL_WAIT_MS more. */
export async function killTree(family: ProcessTree, graceMs: number): Promise<void> {
  if (await isGoneAfter(family, 'SIGTERM', graceMs)) return;
  await isGoneAfter(family, 'SIGKILL', KILL_WAIT_MS);
}

async function isGoneAfter(family: ProcessTree, signal: 'SIGTERM' | 'SIGKILL', withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const living = await family.living();
    if (living.length === 0) return true;
    if (performance.now() >= deadline) return false;
    // Includes processes started since the last check.
    family.signal(signal, living);
    while (family.isAnyKnownAlive && performance.now() < deadline) await pause(LOOK_EVERY_MS);
  }
}
