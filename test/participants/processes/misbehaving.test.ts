// A real program for every misbehaviour, each limited to a minute. Each ends in a typed error or a result, and /proc shows that
// nothing is left.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Program,
  type RunLimits,
  type RunListener,
  runningPrograms,
  runProgram,
} from '../../../src/participants/processes/run-program.ts';
import { readProcess } from '../../../src/participants/processes/tree/process-table.ts';
import { ProcessTree } from '../../../src/participants/processes/tree/process-tree.ts';
import { failureOf, isRunning, Programs } from './programs.ts';

let programs: Programs;
beforeEach(() => {
  programs = new Programs();
});
afterEach(() => {
  // Check first: a settled run has left nothing.
  const left = programs.left();
  const listed = runningPrograms();
  programs.remove();
  expect(left).toEqual([]);
  expect(listed).toEqual([]);
});

const HOUR_MS = 3_600_000;
/** No timeout fires by chance. */
const PATIENT = { wallMs: HOUR_MS, graceMs: HOUR_MS } as const;

const startOf = ({ pid = 0 }: ChildProcess): number => readProcess(pid)?.startedAt ?? 0;

const run = (program: Program, limits: Partial<RunLimits> = PATIENT, watch: RunListener = {}) =>
  runProgram(program, watch, limits);

describe('[RN2] a program that cannot be started', () => {
  it('is missing', async () => {
    const error = await failureOf(run(programs.program('no-such-program', [])));
    expect(error.kind).toBe('spawn_failed');
    expect(error.message).toMatch(/^fake: program no-such-program not found; looked in PATH=/);
  });

  it('is not executable', async () => {
    const file = programs.file('plain.txt', 'hello');
    const error = await failureOf(run(programs.program(file, [])));
    expect(error.kind).toBe('spawn_failed');
    expect(error.message).toBe(`fake: ${file} is not executable (EACCES)`);
  });

  it('names a missing interpreter', async () => {
    const file = programs.file('script', '#!/no/such/interpreter\n', 0o755);
    const error = await failureOf(run(programs.program(file, [])));
    expect(error.message).toMatch(/the interpreter in its first line is missing/);
  });

  it.each([
    ['missing', 'nowhere'],
    ['not a folder', 'file'],
  ])('has a working folder that is %s', async (why, name) => {
    programs.file('file', '');
    const cwd = programs.path(name);
    const error = await failureOf(run(programs.sh('true', { cwd })));
    expect(error.kind).toBe('spawn_failed');
    expect(error.message).toBe(`fake: its working folder ${cwd} is ${why}`);
  });

  it('has a home that cannot be created', async () => {
    const home = `${programs.file('file', '')}/home`;
    const error = await failureOf(run(programs.sh('true', { home })));
    expect(error.kind).toBe('spawn_failed');
    expect(error.message).toContain(`its home folder ${home} cannot be created`);
  });

  it('has more arguments than the system allows', async () => {
    const args = Array.from({ length: 60 }, () => 'x'.repeat(100_000));
    const error = await failureOf(run(programs.program('/bin/true', args)));
    expect(error.kind).toBe('spawn_failed');
    expect(error.message).toMatch(/arguments and environment exceed the limit/);
    expect(error.message.length).toBeLessThan(300);
  });
});

describe('[RN1] arguments', () => {
  it('reach the program unchanged, without a shell', async () => {
    const args = ['$HOME', '; touch x', '`id`', '*', '', 'two words', "'", 'é😀'];
    const { stdout } = await run(programs.program('/usr/bin/printf', ['%s\\n', ...args]));
    expect(stdout).toBe(`${args.join('\n')}\n`);
  });

  it('above 100 KiB are rejected before the start, with advice', async () => {
    const fits = await run(programs.program('/bin/true', ['x'.repeat(100 * 1024)]));
    expect(fits.exitCode).toBe(0);
    const error = await failureOf(run(programs.program('/bin/true', ['x'.repeat(100 * 1024 + 1)])));
    expect(error.kind).toBe('spawn_failed');
    expect(error.message).toBe('fake: argument 0 has 102401 bytes, more than 102400; use stdin or a file instead');
  });

  it('with a NUL are rejected', async () => {
    expect((await failureOf(run(programs.program('/bin/true', ['a\0b'])))).message).toContain('NUL');
  });
});

describe('[RN3] a program that exits', () => {
  it('with exit code 7 and output is reported', async () => {
    const ran = await run(programs.sh('echo out; echo err >&2; exit 7'));
    const expected = { exitCode: 7, signal: null, stdout: 'out\n', stderr: 'err\n', truncated: false, endedBy: 'exit' };
    expect(ran).toEqual(expected);
  });

  it('by its own signal is reported', async () => {
    const { exitCode, signal, endedBy } = await run(programs.sh('kill -SEGV $$'));
    expect({ exitCode, signal, endedBy }).toEqual({ exitCode: null, signal: 'SIGSEGV', endedBy: 'exit' });
  });

  it('with exit code 0 reports a missing result', async () => {
    const { exitCode, endedBy, hasResult } = await run(programs.sh('echo thinking'), PATIENT, { isDone: () => false });
    expect({ exitCode, endedBy, hasResult }).toEqual({ exitCode: 0, endedBy: 'exit', hasResult: false });
  });

  it('in the middle of a line delivers the half line', async () => {
    const lines: string[] = [];
    const onLine = (line: string) => void lines.push(line);
    const ran = await run(programs.sh(`printf '{"a":1}\\n{"type":"res'`), PATIENT, { onLine });
    expect(lines).toEqual(['{"a":1}', '{"type":"res']);
    expect(ran.exitCode).toBe(0);
  });
});

describe('[RN4] a program that needs a terminal', () => {
  it('gets none, not even through /dev/tty', async () => {
    const script = 'for fd in 0 1 2; do test -t $fd && echo tty; done; cat </dev/tty || echo refused';
    const ran = await run(programs.sh(script));
    expect(ran.stdout).toBe('refused\n');
  });

  it('gets an empty stdin by default', async () => {
    expect((await run(programs.sh('cat; echo end'))).stdout).toBe('end\n');
  });
});

describe('[RN5] a program that is stopped', () => {
  it('gets SIGTERM first', async () => {
    const program = programs.sh('trap "echo bye; exit 3" TERM; echo ready; while :; do sleep 0.05; done');
    const stop = new AbortController();
    const watch = { onText: () => stop.abort(), signal: stop.signal };
    const error = await failureOf(run(program, PATIENT, watch));
    expect(error.details).toMatchObject({ exitCode: 3, signal: null });
    // Later output is discarded.
    expect(error.details.stdout).toBe('ready\n');
  });

  it('is killed if it ignores SIGTERM', async () => {
    const program = programs.node(`
      process.on('SIGTERM', () => {}); process.on('SIGINT', () => {});
      setTimeout(() => {}, 60_000); console.log('ready');`);
    const error = await failureOf(run(program, { ...PATIENT, idleMs: 10, graceMs: 100 }));
    expect(error.kind).toBe('timeout');
    expect(error.details).toMatchObject({ signal: 'SIGKILL', stdout: 'ready\n', watchdog: 'idle' });
  });

  it('takes its group with it, including processes that ignore SIGTERM', async () => {
    const program = programs.sh('(trap "" TERM; echo ready; sleep 60 & wait; sleep 60) & wait');
    const error = await failureOf(run(program, { ...PATIENT, idleMs: 10, graceMs: 100 }));
    expect(error.kind).toBe('timeout');
  });
});

/** Starts a process in its own session that ignores SIGTERM, and reports when it runs. */
const daemon = (stdio: 'ignore' | 'inherit', env = 'process.env') => `
  import { spawn } from 'node:child_process';
  const source = 'process.on("SIGTERM", () => {}); setTimeout(() => {}, 60_000); process.send("up"); process.disconnect()';
  const child = spawn(process.execPath, ['-e', source], {
    detached: true, env: ${env}, stdio: ['ignore', '${stdio}', '${stdio}', 'ipc'] });
  child.once('message', () => { console.log('daemon', child.pid); child.unref(); });`;

describe('[RN6] leaves nothing behind', () => {
  it('if a grandchild holds its stdout open', async () => {
    const ran = await run(programs.sh('sleep 60 & echo done; exit 0'));
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'done\n', endedBy: 'exit' });
  });

  it('but lets a grandchild finish that is about to end', async () => {
    const { stdout } = await run(programs.sh('(trap "echo asked" TERM; sleep 0.02; echo late) & exit 0'));
    expect(stdout).toBe('late\n');
  });

  it('but ignores older processes, whatever they have', async () => {
    const env = { [programs.mark]: '1' };
    const older = spawn('sleep', ['60'], { env });
    let younger: ChildProcess | null = null;
    try {
      // Start times have a resolution of 10 ms.
      do {
        younger?.kill('SIGKILL');
        younger = spawn('sleep', ['60'], { env });
      } while (startOf(younger) <= startOf(older));
      expect(new ProcessTree(younger.pid ?? 0, programs.mark).livingNow()).toContain(younger.pid);
      expect(new ProcessTree(younger.pid ?? 0, programs.mark).livingNow()).not.toContain(older.pid);
    } finally {
      const ended = [older, younger].map((one) => one !== null && once(one, 'exit'));
      for (const one of [older, younger]) one?.kill('SIGKILL');
      await Promise.all(ended);
    }
  });

  it('and reads everything written, including the rest in the pipe', async () => {
    const { stdout } = await run(programs.sh('sleep 60 & yes | head -c 60000'));
    expect(stdout).toBe('y\n'.repeat(30_000));
  });

  it.each(['ignore', 'inherit'] as const)('if it started a daemon in another session (output: %s)', async (stdio) => {
    const ran = await run(programs.node(daemon(stdio)), { ...PATIENT, graceMs: 50 });
    expect(ran).toMatchObject({ exitCode: 0, endedBy: 'exit' });
    expect(ran.stdout).toMatch(/^daemon \d+\n$/);
  });

  it('if it is stopped while its daemon runs', async () => {
    const program = programs.node(`${daemon('ignore')}; setTimeout(() => {}, 60_000);`);
    const error = await failureOf(run(program, { ...PATIENT, idleMs: 10, graceMs: 100 }));
    expect(error.kind).toBe('timeout');
  });

  it('if it is stopped while a child in another session has an empty environment', async () => {
    const program = programs.node(`${daemon('ignore', '{}')}; setTimeout(() => {}, 60_000);`);
    const error = await failureOf(run(program, { ...PATIENT, idleMs: 10, graceMs: 100 }));
    const pid = Number(/daemon (\d+)/.exec(error.details.stdout ?? '')?.[1]);
    expect(pid).toBeGreaterThan(0);
    expect(isRunning(pid)).toBe(false);
  });

  it.each(['', ' >/dev/null 2>&1'])(
    'if it left an orphan in another session with an empty environment (output:%s)',
    async (output) => {
      const script = `setsid env -i sh -c 'echo $$ > pid; exec sleep 60'${output} & while ! test -s pid; do sleep 0.02; done`;
      const program = programs.sh(script, { cwd: programs.folder });
      expect(await run(program)).toMatchObject({ exitCode: 0, endedBy: 'exit' });
      const pid = Number(readFileSync(programs.path('pid'), 'utf8'));
      expect(pid).toBeGreaterThan(0);
      expect(isRunning(pid)).toBe(false);
    },
  );

  it('if it forks faster than it can be inspected', async () => {
    const program = programs.sh(
      'echo ready; fork() { test $1 -gt 0 || return; (sleep 0.02; fork $(($1 - 1))) & (exec sleep 60) & }; trap "" TERM; fork 60; wait',
    );
    const error = await failureOf(run(program, { ...PATIENT, idleMs: 10, wallMs: 300, graceMs: 50 }));
    expect(error.kind).toBe('timeout');
  });
});

describe('[RN7] timeouts', () => {
  it('stop a program that hangs, by total time', async () => {
    const error = await failureOf(run(programs.sh('echo partial; sleep 60'), { ...PATIENT, wallMs: 300 }));
    expect(error.kind).toBe('timeout');
    expect(error.message).toBe(
      'fake: timeout: did not end within 300 ms, and was stopped; signal=SIGTERM stdout=partial stderr=',
    );
    const written = { exitCode: null, signal: 'SIGTERM', stdout: 'partial\n', stderr: '' };
    expect(error.details).toEqual({ tool: 'fake', ...written, watchdog: 'wall' });
  });

  it('stop a program that writes nothing sooner', async () => {
    const error = await failureOf(run(programs.sh('sleep 60'), { ...PATIENT, firstOutputMs: 50 }));
    expect(error.details.watchdog).toBe('first_output');
    expect(error.message).toContain('wrote nothing within 50 ms');
  });

  it('stop a silent program; stderr counts as output', async () => {
    const limits = { ...PATIENT, firstOutputMs: HOUR_MS, idleMs: 50 };
    const error = await failureOf(run(programs.sh('echo hm >&2; sleep 60'), limits));
    expect(error.details).toMatchObject({ watchdog: 'idle', stderr: 'hm\n' });
  });

  it('stop a program that runs on after its result, without an error', async () => {
    let isDone = false;
    const onLine = (line: string) => {
      isDone ||= line === 'result';
    };
    const program = programs.sh('echo hello; echo result; sleep 60');
    const limits = { ...PATIENT, afterResultMs: 20, idleMs: HOUR_MS };
    const ran = await run(program, limits, { onLine, isDone: () => isDone });
    expect(ran).toMatchObject({
      endedBy: 'after_result',
      hasResult: true,
      signal: 'SIGTERM',
      stdout: 'hello\nresult\n',
    });
  });

  it('stop a hopeless program immediately, even while it writes', async () => {
    const lines: string[] = [];
    const program = programs.sh('while :; do echo again; sleep 0.02; done');
    const watch = { onLine: (line: string) => void lines.push(line), isHopeless: () => lines.length > 0 };
    const ran = await run(program, { ...PATIENT, afterResultMs: HOUR_MS }, watch);
    expect(ran).toMatchObject({ endedBy: 'after_result', signal: 'SIGTERM' });
    expect(ran.stdout).toContain('again');
  });

  it('are no error after the result', async () => {
    const program = programs.sh('echo result; while :; do echo .; sleep 0.02; done');
    const ran = await run(program, { ...PATIENT, wallMs: 300, afterResultMs: 200 }, { isDone: () => true });
    expect(ran).toMatchObject({ endedBy: 'after_result', hasResult: true });
  });

  it('accept a result in an unfinished line', async () => {
    let isDone = false;
    const onLine = () => {
      isDone = true;
    };
    const limits = { ...PATIENT, idleMs: 50 };
    const ran = await run(programs.sh('printf result; sleep 60'), limits, { onLine, isDone: () => isDone });
    expect(ran).toMatchObject({ endedBy: 'after_result', hasResult: true, stdout: 'result' });
  });

  it('do not fire early when longer than a timer allows', async () => {
    expect((await run(programs.sh('echo hello'), { wallMs: 2 ** 40 })).stdout).toBe('hello\n');
  });
});

describe('[RN8] an abort', () => {
  it('stops the program and keeps its output', async () => {
    const stop = new AbortController();
    const watch = { onLine: () => stop.abort(new Error('the session closed')), signal: stop.signal };
    const error = await failureOf(run(programs.sh('echo hello; sleep 60'), PATIENT, watch));
    expect(error.kind).toBe('aborted');
    expect(error.message).toMatch(/^fake: aborted: the session closed; signal=SIGTERM/);
    expect(error.details.stdout).toBe('hello\n');
  });

  it('before the start starts nothing', async () => {
    const touched = programs.path('touched');
    const error = await failureOf(run(programs.sh(`: > ${touched}`), PATIENT, { signal: AbortSignal.abort() }));
    expect(error.kind).toBe('aborted');
    expect((await run(programs.sh(`ls ${programs.folder}`))).stdout).toBe('');
  });
});

describe('[RN9] stdin', () => {
  it('of 2 MB is written while output is read, however slowly it is consumed', async () => {
    const prompt = `${'é😀 '.repeat(250_000)}end`;
    const program = programs.node(
      `let at = 0;
       for await (const chunk of process.stdin) {
         process.stdout.write(chunk); // More than a pipe holds comes back before all of it was taken.
         if (at++ < 20) await new Promise((go) => setTimeout(go, 5));
       }`,
      { stdin: prompt },
    );
    const { stdout, truncated } = await run(program, { ...PATIENT, maxCapturedBytes: 8 * 1024 * 1024 });
    expect(Buffer.byteLength(prompt)).toBeGreaterThan(1_700_000);
    expect(stdout === prompt).toBe(true);
    expect(truncated).toBe(false);
  });

  it('that is not read is no failure', async () => {
    const ran = await run(programs.sh('exec <&-; echo done', { stdin: 'x'.repeat(2_000_000) }));
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  });
});

describe('[RN10] output', () => {
  it('is text despite split, broken and coloured characters', async () => {
    const program = programs.node(`
      const write = (bytes) => new Promise((done) => process.stdout.write(Buffer.from(bytes), done));
      const soon = () => new Promise((go) => setTimeout(go, 10));
      const bytes = [...Buffer.from('a😀\\u001b[31mré\\u001b[0m'), 0xff, 0x0a];
      for (const byte of bytes) { await write([byte]); await soon(); }`);
    const lines: string[] = [];
    const texts: string[] = [];
    const ran = await run(program, PATIENT, {
      onLine: (line) => void lines.push(line),
      onText: (text) => void texts.push(text),
    });
    expect(ran.stdout).toBe('a😀ré\ufffd\n');
    expect(lines).toEqual(['a😀ré\ufffd']);
    expect(texts.join('')).toBe(ran.stdout);
  });

  it('is streamed: the program ends only after its first line was seen', async () => {
    const seen = programs.path('seen');
    const program = programs.sh(`echo first; while ! test -e ${seen}; do sleep 0.02; done; echo second`);
    const lines: string[] = [];
    const onLine = (line: string) => {
      lines.push(line);
      programs.file('seen', '');
    };
    await run(program, PATIENT, { onLine });
    expect(lines).toEqual(['first', 'second']);
  });
});

describe('[RN11] too much output', () => {
  const flood = () => programs.sh('yes 0123456789012345678901234567890123456789 | head -c 200000000');

  it('stops the program, keeping head and tail', async () => {
    const error = await failureOf(run(flood(), { ...PATIENT, maxOutputBytes: 1_000_000 }));
    expect(error.kind).toBe('output_limit');
    expect(error.message).toMatch(/^fake: output_limit: wrote more than 1000000 bytes, and was stopped/);
    expect(error.message.length).toBeLessThanOrEqual(2_000);
    expect(error.details.stdout?.length).toBeLessThanOrEqual(8_192);
  });

  it('counts stderr, and stops reading a program that ignores SIGTERM', async () => {
    const program = programs.sh('trap "" TERM PIPE; while :; do echo 0123456789 >&2; done');
    const error = await failureOf(run(program, { ...PATIENT, maxOutputBytes: 10_000, graceMs: 50 }));
    expect(error.kind).toBe('output_limit');
  });

  it('after the result is no error', async () => {
    const ran = await run(flood(), { ...PATIENT, maxOutputBytes: 1_000_000 }, { isDone: () => true });
    expect(ran).toMatchObject({ endedBy: 'after_result', truncated: true });
  });
});

describe('[RN14] an exception in a listener', () => {
  it.each(['onLine', 'onText', 'isDone'] as const)('stops the program and rejects the run (%s)', async (name) => {
    const thrown = new Error('this is no JSON');
    const thrower = () => {
      throw thrown;
    };
    const watch: RunListener = { [name]: thrower };
    await expect(run(programs.sh('echo hello; sleep 60'), PATIENT, watch)).rejects.toBe(thrown);
  });

  it('counts for the last line of a program that has exited', async () => {
    const thrown = new Error('cut in half');
    const onLine = () => {
      throw thrown;
    };
    await expect(run(programs.sh('printf half'), PATIENT, { onLine })).rejects.toBe(thrown);
  });
});
