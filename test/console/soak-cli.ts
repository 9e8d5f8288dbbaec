/** npm run soak:console: keeps a console open for ten minutes and compares its memory before and after. */

import { parseArgs } from 'node:util';
import { MAX_HEAP, MAX_NODES, PER_SECOND, type Soaked, soak, soakFaults } from './soak.ts';

const USAGE = `Usage: npm run soak:console -- [options]

A real hub and a real Chromium: one page looks at a session, one at the list, while ${PER_SECOND} events come each second. After a
warm-up, and again in the end, all garbage is collected: the heap may then be ${MAX_HEAP} times what it was, the number of DOM nodes
${MAX_NODES} times.

  --seconds N  how long (default 600)
  --help       print this

Exit codes: 0 it held, 1 it did not, 2 wrong arguments.`;

const wanted = readArguments(process.argv.slice(2));
if (wanted === 'help') console.log(USAGE);
else if (typeof wanted === 'string') {
  console.error(`${wanted}\n\n${USAGE}`);
  process.exitCode = 2;
} else process.exitCode = report(await soak(wanted, (line) => console.log(line)));

/** A string is an error or "help". */
function readArguments(args: readonly string[]): number | string {
  try {
    const help = { type: 'boolean', short: 'h', default: false } as const;
    const { values } = parseArgs({ args: [...args], options: { seconds: { type: 'string', default: '600' }, help } });
    if (values.help) return 'help';
    if (/^[1-9]\d{0,5}$/.test(values.seconds)) return Number(values.seconds);
    return `--seconds: expected a whole number from 1 on, got "${values.seconds}"`;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

function report(soaked: Soaked): number {
  for (const { name, before, after } of soaked.pages) {
    const heap = `heap ${megabytes(before.heapBytes)} → ${megabytes(after.heapBytes)} MB (${ratio(after.heapBytes, before.heapBytes)} ×)`;
    const nodes = `DOM nodes ${before.domNodes} → ${after.domNodes} (${ratio(after.domNodes, before.domNodes)} ×)`;
    console.log(`${name}: ${heap}, ${nodes}`);
  }
  console.log(`${soaked.events} events in ${soaked.seconds} s`);
  const faults = soakFaults(soaked);
  for (const fault of faults) console.error(fault);
  return faults.length === 0 ? 0 : 1;
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(2);
}

function ratio(one: number, other: number): string {
  return (one / other).toFixed(3);
}
