/** A program and all its descendants: its group, its session, what has its mark, and their children. Finds and ends them. */

import { setTimeout as pause } from 'node:timers/promises';
import {
  hasProcessTable,
  hasVariable,
  holdsFile,
  type ProcessEntry,
  processIds,
  readProcess,
} from './process-table.ts';

/** How many processes are looked at before others have their turn. */
const AT_ONCE = 64;

export class ProcessTree {
  readonly pid: number;
  readonly #mark: string;
  /** Nothing that is older can be of it. */
  readonly #since: number;
  /** Whoever was found once stays known, also when nothing points to it any more. */
  readonly #known = new Map<number, ProcessEntry>();

  constructor(pid: number, mark: string) {
    this.pid = pid;
    this.#mark = mark;
    this.#since = hasProcessTable ? (readProcess(pid)?.startedAt ?? 0) : 0;
  }

  /** Those that live, by their pids. */
  async living(): Promise<readonly number[]> {
    const steps = this.#look();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await new Promise((resume) => setImmediate(resume));
    }
  }

  /** The same at once, for a process that is about to end. */
  livingNow(): readonly number[] {
    const steps = this.#look();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** Of those found before: does any still live? Cheap, for asking again and again. */
  get isAnyKnownAlive(): boolean {
    if (!hasProcessTable) return canSignal(-this.pid);
    for (const entry of this.#known.values()) if (isSame(entry, readProcess(entry.pid))) return true;
    return false;
  }

  /** To the group as a whole, so that nobody in it slips away by forking, and to each of the others. */
  signal(signal: 'SIGTERM' | 'SIGKILL', living: readonly number[]): void {
    if (living.some((pid) => pid === -this.pid || this.#known.get(pid)?.group === this.pid)) send(-this.pid, signal);
    for (const pid of living) if (pid > 0 && this.#known.get(pid)?.group !== this.pid) send(pid, signal);
  }

  *#look(): Generator<void, readonly number[]> {
    // Without a table the group is one, alive as long as it can be signalled.
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

/** Whoever has a parent among them is one of them, and so on down. */
function addChildren(found: Map<number, ProcessEntry>, others: readonly ProcessEntry[]): void {
  let rest = others;
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    const [children, strangers] = [rest.filter(isChild), rest.filter((entry) => !isChild(entry))];
    for (const entry of children) found.set(entry.pid, entry);
    rest = strangers;
  }
  function isChild({ parent }: ProcessEntry): boolean {
    return found.has(parent);
  }
}

/** Pids are used again. */
function isSame(known: ProcessEntry, now: ProcessEntry | null): boolean {
  return now !== null && now.startedAt === known.startedAt;
}

function canSignal(pid: number): boolean {
  return send(pid, 0);
}

/** Who is gone meanwhile, or may not be signalled, is no concern of ours any more. */
function send(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Often enough to lose no time, seldom enough to cost nothing. */
const LOOK_EVERY_MS = 15;
/** What a killed process may take to be gone; one that hangs in the kernel is not waited for any longer. */
const KILL_WAIT_MS = 5_000;

/** Resolves when nobody of it is left. */
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
    // Also those that were born since the last look.
    family.signal(signal, living);
    while (family.isAnyKnownAlive && performance.now() < deadline) await pause(LOOK_EVERY_MS);
  }
}
