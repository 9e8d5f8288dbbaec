/** `npm run bench`: ratios relative to what the machine can do, measured side by side. Always exits with 0. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accepts } from './accepts.ts';
import { consoles } from './console.ts';
import { expecting } from './expecting.ts';
import type { Bench, Figure } from './figure.ts';
import { askedOptions, refuse, table, unknownFigure } from './figure.ts';
import { memory } from './memory.ts';
import { messageCost } from './message-cost.ts';
import { ready } from './ready.ts';
import { sweep } from './sweep.ts';
import { tail } from './tail.ts';
import { turn } from './turn.ts';

const BENCHES: readonly Bench[] = [accepts, messageCost, expecting, tail, sweep, memory, ready, turn, consoles];

const HELP = `npm run bench -- [options]

  --quick        fewer and shorter rounds, a smaller data folder: about three minutes
  --only <name>  only this figure, or all whose name begins so; may be repeated
  --json         the last line of stdout is one JSON object of named figures
  --help         this text

Only ratios within one run say anything: the machine is shared, and its speed is another every hour.
A ✗ is a bar that was missed. The exit code is 0 all the same: this measures, it does not judge.

figures: ${BENCHES.flatMap(({ names }) => names).join(', ')}`;

interface Options {
  readonly quick: boolean;
  readonly json: boolean;
  readonly only: readonly string[];
}

const asked = askedOptions({
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true, default: [] },
});
if ('problem' in asked) refuse(asked.problem);
else if (asked.values.help) console.log(HELP);
else await runKnown(asked.values);

async function runKnown(options: Options): Promise<void> {
  const unknown = unknownFigure(
    options.only,
    BENCHES.flatMap(({ names }) => names),
  );
  if (unknown === null) await run(options);
  else refuse(unknown);
}

async function run(options: Options): Promise<void> {
  const names = BENCHES.flatMap((bench) => bench.names);
  const isMeant = (asked: string, name: string) => (names.includes(asked) ? name === asked : name.startsWith(asked));
  const isWanted = (name: string) => options.only.length === 0 || options.only.some((asked) => isMeant(asked, name));
  const figures: Figure[] = [];
  for (const bench of BENCHES.filter(({ names }) => names.some(isWanted))) {
    figures.push(...(await inFolder(bench, options.quick)).filter(({ name }) => isWanted(name)));
  }
  console.log(table(figures));
  console.log('\n✗ = a bar that was missed; the exit code is 0 all the same: this measures, it does not judge.');
  if (options.json) console.log(JSON.stringify(Object.fromEntries(figures.map(({ name, value }) => [name, value]))));
}

async function inFolder(bench: Bench, quick: boolean): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-run-'));
  try {
    return await bench.run({ quick, folder, note: (text) => console.error(text) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
