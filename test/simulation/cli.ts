/** npm run simulate -- [--seeds N] [--from N] [--seed N] [--verbose]: runs more histories than the tests do. */

import { parseArgs } from 'node:util';
import { runHistory } from './run-history.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

const from = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
if (!Number.isInteger(from) || !Number.isInteger(count) || count < 1) {
  console.error('expected whole numbers: --seeds N --from N, or --seed N');
  process.exit(2);
}

const counts = new Map<string, number>();
for (let seed = from; seed < from + count; seed++) {
  try {
    const report = await runHistory({
      seed,
      ...(values.verbose ? { onOperation: (line: string) => console.log(line) } : {}),
    });
    for (const [kind, n] of report.counts) counts.set(kind, (counts.get(kind) ?? 0) + n);
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exit(1);
  }
  if ((seed - from + 1) % 500 === 0) console.log(`${seed - from + 1} of ${count} histories`);
}
for (const [kind, n] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`${String(n).padStart(8)}  ${kind}`);
console.log(`${count} histories, every law held`);
