/** A separate process that runs programs and ends in one of several ways; it reports to its test when they run. */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { type Program, runProgram } from '../../../src/participants/processes/run-program.ts';
import { OrphanGuard } from '../../../src/participants/processes/tree/running.ts';
import { eventually, guardsOf } from './programs.ts';

const MIB = 1024 * 1024;
const [, , how = '', mark = ''] = process.argv;
const env = { [mark]: '1' };

const stubborn = 'process.on("SIGTERM", () => {}); setTimeout(() => {}, 60_000); console.log("ready");';
const inItsOwnSession = `
  require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stubborn)}],
    { detached: true, stdio: ["ignore", "inherit", "ignore"] });
  setTimeout(() => {}, 60_000);`;

/** In another session with an empty environment, without the mark of the test. */
const unmarked = {
  tool: 'fake',
  command: '/bin/sh',
  args: ['-c', 'setsid env -i sh -c \'trap "" TERM; echo $$; exec sleep 60\' & exec sleep 60'],
  env,
};

/** Known only as a child: Node has closed its files. It lives until it is stopped. */
const alone = `
  const stubborn = 'trap "" TERM; while :; do sleep 60; done';
  const child = require("node:child_process").spawn("/bin/sh", ["-c", stubborn], { detached: true, env: {}, stdio: "ignore" });
  console.log(child.pid);
  setTimeout(() => {}, 60_000);`;

function program(source: string): Program {
  return { tool: 'fake', command: process.execPath, args: ['-e', source], env };
}

/** Runs a program without end; resolves with its first line. */
function begun(what: Program): Promise<string> {
  return new Promise((ready) => {
    void runProgram(what, { onLine: ready });
  });
}

async function flood(): Promise<void> {
  const limits = { maxOutputBytes: 1024 * MIB };
  const command = { tool: 'fake', command: '/bin/sh', env };
  const small = { ...command, args: ['-c', 'yes 0123456789 | head -c 4000000'] };
  const source = "yes 0123456789 | head -c 100000000; head -c 100000000 /dev/zero | tr '\\0' x";
  const large = { ...command, args: ['-c', source] };
  await runProgram(small, {}, limits);
  const before = process.memoryUsage.rss();
  let peak = before;
  let lines = 0;
  let longest = 0;
  let chunks = 0;
  const onLine = (line: string): void => {
    lines += 1;
    longest = Math.max(longest, line.length);
    if (lines % 10_000 === 0) peak = Math.max(peak, process.memoryUsage.rss());
  };
  const onText = (): void => {
    chunks += 1;
    if (chunks % 64 === 0) peak = Math.max(peak, process.memoryUsage.rss());
  };
  const ran = await runProgram(large, { onLine, onText }, limits);
  const { truncated, exitCode } = ran;
  const grownMib = Math.round((peak - before) / MIB);
  console.log(JSON.stringify({ exitCode, truncated, lines, longest, captured: ran.stdout.length, grownMib }));
}

async function loseGuard(): Promise<void> {
  await begun(program(stubborn));
  const [first = 0] = guardsOf(process.pid);
  process.kill(first, 'SIGKILL');
  await eventually(
    () => guardsOf(process.pid),
    (guards) => guards.some((guard) => guard !== first),
  );
}

/** Two processes without mark, each in its own group; the guard knows that one has ended. */
function groups(): void {
  const [ended = 0, running = 0] = [1, 2].map(
    () => spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).pid ?? 0,
  );
  const guard = new OrphanGuard();
  // Random marks: the guard ends every process that has one.
  const [first, second] = [1, 2].map(() => `parley${randomBytes(12).toString('hex')}`) as [string, string];
  guard.begin(first, ended);
  guard.begin(second, running);
  guard.end(first);
  console.log(`${ended} ${running}`);
}

/** Stops the guard, so that the process itself must end its programs. */
function holdGuard(): void {
  for (const guard of guardsOf(process.pid)) {
    process.kill(guard, 'SIGSTOP');
    console.log(guard);
  }
}

switch (how) {
  case 'flood':
    await flood();
    break;
  case 'ends':
    console.log((await runProgram(program('console.log("well")'))).stdout);
    break;
  case 'groups':
    groups();
    break;
  case 'unmarked':
    console.log(await begun(unmarked));
    break;
  case 'alone':
    console.log(await begun(program(alone)));
    break;
  case 'guard':
    await loseGuard();
    console.log('ready');
    break;
  default:
    await Promise.all([begun(program(stubborn)), begun(program(inItsOwnSession))]);
    if (how !== 'waits') holdGuard();
    console.log('ready');
    if (how === 'exits') process.exit(0);
    if (how === 'throws') setImmediate(() => Promise.reject(new Error('on purpose')));
}
