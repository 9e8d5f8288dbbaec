/** What runs at the moment, and the guard that ends it: none of it outlives this process. */

import { type ChildProcess, spawn } from 'node:child_process';
import type { ProcessTree } from './process-tree.ts';

/**
 * A fixed text: what runs is told by lines on its stdin, `begin <mark> <pid>` and `end <mark>`, of letters and digits only.
 * It is a shell because that is there everywhere, and a hundredth of the size of another Node.
 *
 * When our process has ended, what it ran still lives, and with it what ties others to it: a parent, a group, a session (of a
 * process, the numbers of these stand behind its own in `ties`). All of it is looked at before the first signal, and
 * whoever was found stays known by number and birth, also when its parent is gone.
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
 * A small process beside ours that knows what runs. Its stdin is a pipe from us: however our process ends, also by SIGKILL,
 * the pipe closes, and the guard ends whatever was still running. So no signal handlers are needed here, which would
 * change how our process behaves.
 */
export class OrphanGuard {
  readonly #runs = new Map<string, number>();
  #process: ChildProcess | null = null;

  /** Before it is started (pid 0: its mark is enough to find it), and again when its pid is known. */
  begin(mark: string, pid: number): void {
    this.#runs.set(mark, pid);
    if (this.#process === null) this.#start();
    else this.#tell(`begin ${mark} ${pid}`);
  }

  end(mark: string): void {
    if (this.#runs.delete(mark)) this.#tell(`end ${mark}`);
  }

  /** In a session of its own: what is sent to our group does not reach it. It keeps nobody awake. */
  #start(): void {
    const { PATH = '/usr/bin:/bin' } = process.env;
    const guard = spawn('/bin/sh', ['-c', SCRIPT, 'parley-guard'], {
      cwd: '/',
      env: { PATH },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#process = guard;
    // Where there is no shell there is no guard.
    guard.once('error', () => this.#lost(guard));
    guard.once('exit', (_, signal) => {
      this.#lost(guard);
      // Somebody ended it, and what runs is still to be guarded.
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
  /** When it was started, in milliseconds of the epoch. */
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

/** To be called before it is started: from then on it cannot be lost. */
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

/** Our process ends in this moment: there is no time to ask. */
function endAllNow(): void {
  for (const { family } of running.values()) family.signal('SIGKILL', family.livingNow());
}
