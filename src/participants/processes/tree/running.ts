/** Tracks running programs and guards them: none outlives this process. */

import { type ChildProcess, spawn } from 'node:child_process';
import type { ProcessTree } from './process-tree.ts';

/**
 * A guard script, controlled by lines on stdin: `begin <mark> <pid>` and `end <mark>`, of letters and digits only.
 * A shell exists everywhere and is a hundred times smaller than another Node.
 * When stdin closes, it collects all descendants before the first signal: by mark, and by parent, group and session (`ties`).
 * Processes once found stay known by number and start time, even if their parent is gone.
 */
const SCRIPT = `
trap '' HUP INT TERM
runs=
while read -r what mark pid; do
  case $what in
    begin) runs="$runs $mark:$pid" ;;
    end)
      rest=
      for run in $runs; do case $run in "$mark":*) ;; *) rest="$rest $run" ;; esac; done
      runs=$rest ;;
  esac
done
add() { case $kin in *" $1 "*) ;; *) kin="$kin$1 " ;; esac; }
born() { stat=$(cat "/proc/$1/stat" 2>/dev/null); set -- \${stat##*) }; echo "\${20}"; }
look() {
  kin=' '
  ties=$(grep -s -e '^PPid:' -e '^NSpgid:' -e '^NSsid:' /proc/[0-9]*/status 2>/dev/null |
    sed -n 's/^[^0-9]*\\([0-9][0-9]*\\)[^0-9]*\\([0-9][0-9]*\\).*/\\1:\\2/p')
  for one in $known; do [ "$(born "\${one%:*}")" = "\${one#*:}" ] && add "\${one%:*}"; done
  for run in $runs; do
    pid=\${run#*:}
    [ -n "$known" ] || [ "$pid" = 0 ] || add "$pid"
    mark=\${run%%:*}
    for found in $(grep -ls "$mark=" /proc/[0-9]*/environ 2>/dev/null); do
      found=\${found#/proc/}
      add "\${found%/environ}"
    done
    for found in $(ls -l /proc/[0-9]*/fd 2>/dev/null | sed -n "/^.proc/h; /$mark/{g; s/[^0-9]//g; p;}"); do add "$found"; done
  done
  before=
  while [ "$kin" != "$before" ]; do
    before=$kin
    for tie in $ties; do case $kin in *" \${tie#*:} "*) add "\${tie%:*}" ;; esac; done
  done
  known=
  for pid in $kin; do known="$known $pid:$(born "$pid")"; done
}
signal() {
  for run in $runs; do [ "\${run#*:}" = 0 ] || kill -s "$1" -- "-\${run#*:}" 2>/dev/null; done
  for pid in $kin; do kill -s "$1" "$pid" 2>/dev/null; done
}
[ -n "$runs" ] || exit 0
known=
look
signal TERM
sleep 2
look
signal KILL
exit 0
`;

/**
 * Runs the guard script as a child. However our process ends, even by SIGKILL, the pipe closes and the guard ends what is
 * still running. That avoids signal handlers here.
 */
export class OrphanGuard {
  readonly #runs = new Map<string, number>();
  #process: ChildProcess | null = null;

  /** Called before the start (with pid 0: the mark suffices), and again with the pid. */
  begin(mark: string, pid: number): void {
    this.#runs.set(mark, pid);
    if (this.#process === null) this.#start();
    else this.#tell(`begin ${mark} ${pid}`);
  }

  end(mark: string): void {
    if (this.#runs.delete(mark)) this.#tell(`end ${mark}`);
  }

  /** Starts the guard in its own session, out of reach of signals to our group. It does not keep the event loop alive. */
  #start(): void {
    const { PATH = '/usr/bin:/bin' } = process.env;
    const guard = spawn('/bin/sh', ['-c', SCRIPT, 'parley-guard'], {
      cwd: '/',
      env: { PATH },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#process = guard;
    // Without a shell there is no guard.
    guard.once('error', () => this.#lost(guard));
    guard.once('exit', (_, signal) => {
      this.#lost(guard);
      // The guard was killed while programs run: restart it.
      if (signal !== null && this.#runs.size > 0 && this.#process === null) this.#start();
    });
    guard.stdin?.on('error', () => {});
    guard.unref();
    if (guard.stdin !== null && 'unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
    for (const [mark, pid] of this.#runs) this.#tell(`begin ${mark} ${pid}`);
  }

  #lost(guard: ChildProcess): void {
    if (this.#process === guard) this.#process = null;
  }

  #tell(line: string): void {
    this.#process?.stdin?.write(`${line}\n`);
  }
}

export interface RunningProgram {
  readonly tool: string;
  readonly pid: number;
  /** Start time, in milliseconds since the epoch. */
  readonly sinceMs: number;
}

interface Entry extends RunningProgram {
  readonly family: ProcessTree;
}

const running = new Map<string, Entry>();
const guard = new OrphanGuard();
let isWatchingExit = false;

export function runningPrograms(): readonly RunningProgram[] {
  return [...running.values()].map(({ tool, pid, sinceMs }) => ({ tool, pid, sinceMs }));
}

/** Call before the start, so that the program cannot be lost. */
export function expectRun(mark: string): void {
  if (!isWatchingExit) process.once('exit', endAllNow);
  isWatchingExit = true;
  guard.begin(mark, 0);
}

export function noteRun(mark: string, tool: string, family: ProcessTree): void {
  running.set(mark, { tool, pid: family.pid, sinceMs: Date.now(), family });
  guard.begin(mark, family.pid);
}

export function forgetRun(mark: string): void {
  running.delete(mark);
  guard.end(mark);
}

/** Kills all programs synchronously, since this process is exiting. */
function endAllNow(): void {
  for (const { family } of running.values()) family.signal('SIGKILL', family.livingNow());
}
