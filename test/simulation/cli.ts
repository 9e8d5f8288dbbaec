/** npm run simulate: runs more histories than the tests do, or repeats one. */

import { parseArgs } from 'node:util';
import { DiskStore } from './disk-store.ts';
import { runHistory } from './run-history.ts';

const USAGE = `Usage: npm run simulate -- [options]

Runs random histories of a hub on a simulated clock, disk and network, and checks its laws after every step.

  --seeds N   how many histories (default 1000)
  --from N    the seed of the first one (default 1)
  --seed N    only the history of this seed
  --disk      over the durable store on a disk that loses what was not synced
  --verbose   print every operation
  --help      print this

Exit codes: 0 every law held, 1 a law was broken, 2 wrong arguments.`;

interface Wanted {
  readonly from: number;
  readonly count: number;
  readonly disk: boolean;
  readonly verbose: boolean;
}

const wanted = readArguments(process.argv.slice(2));
if (wanted === 'help') console.log(USAGE);
else process.exitCode = await simulate(wanted);

/** Ends the process if they are invalid. */
function readArguments(args: readonly string[]): Wanted | 'help' {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seeds: { type: 'string' },
        from: { type: 'string' },
        seed: { type: 'string' },
        disk: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { seed, seeds, from, disk, verbose } = values;
    if (values.help) return 'help';
    if (seed !== undefined && (seeds ?? from) !== undefined)
      throw new Error('--seed is one history: leave out --seeds and --from');
    if (seed !== undefined) return { from: whole('--seed', seed, 0), count: 1, disk, verbose };
    return { from: whole('--from', from ?? '1', 0), count: whole('--seeds', seeds ?? '1000', 1), disk, verbose };
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${USAGE}`);
    process.exit(2);
  }
}

function whole(option: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && Number.isSafeInteger(value)) return value;
  throw new Error(`${option}: expected a whole number, ${least} or more, got "${text}"`);
}

/** Returns the exit code. */
async function simulate({ from, count, disk, verbose }: Wanted): Promise<number> {
  const counts = new Map<string, number>();
  const told = verbose ? { onOperation: (line: string) => console.log(line) } : {};
  for (let done = 0; done < count; done++) {
    try {
      const seed = from + done;
      const report = await runHistory({ seed, ...told, ...(disk ? { store: DiskStore.seeded(seed) } : {}) });
      for (const [kind, n] of report.counts) counts.set(kind, (counts.get(kind) ?? 0) + n);
    } catch (thrown) {
      console.error(thrown instanceof Error ? thrown.message : thrown);
      return 1;
    }
    if ((done + 1) % 500 === 0) console.log(`${done + 1} of ${count} histories`);
  }
  for (const [kind, n] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${String(n).padStart(8)}  ${kind}`);
  console.log(count === 1 ? `1 history (seed ${from}), every law held` : `${count} histories, every law held`);
  return 0;
}
