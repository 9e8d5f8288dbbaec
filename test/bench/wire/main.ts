/** `npm run bench:wire`: Parley over sockets relative to relays that do less, side by side. Always exits with 0. */

import { askedOptions, refuse, table, unknownFigure } from '../figure.ts';
import { runWire, WIRE_NAMES } from './run-wire.ts';
import { FULL, QUICK } from './setting.ts';

const HELP = `npm run bench:wire -- [options]

  --quick         fewer and shorter rounds, less growth: under two minutes
  --only <name>   only this figure, or all whose name begins so; may be repeated
  --json          the last line of stdout is one JSON object of named ratios
  --profile <dir> write CPU profiles of the hubs there
  --help          this text

(a) a relay over ws that parses every frame, passes it on and acks it; (b) the same with corked writes; (c) that and a group
commit before anybody hears of it; (d) Parley, durable. The load has a process of its own and the same work with each, but that
Parley wants a receipt for every delivery. A post is done when it is answered and delivered to everyone. Latency is measured in an
open loop, from when a post was due.

Only ratios within one run say anything: the machine is shared, and its speed is another every hour.

figures: ${WIRE_NAMES.join(', ')}`;

interface Options {
  readonly quick: boolean;
  readonly json: boolean;
  readonly profile?: string | undefined;
  readonly only: readonly string[];
}

const asked = askedOptions({
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  profile: { type: 'string' },
  only: { type: 'string', multiple: true, default: [] },
});
if ('problem' in asked) refuse(asked.problem);
else if (asked.values.help) console.log(HELP);
else await runKnown(asked.values);

async function runKnown(options: Options): Promise<void> {
  const unknown = unknownFigure(options.only, WIRE_NAMES);
  if (unknown === null) await run(options);
  else refuse(unknown);
}

async function run(options: Options): Promise<void> {
  const begin = performance.now();
  const seconds = () => `${((performance.now() - begin) / 1000).toFixed(0).padStart(4)} s`;
  const figures = await runWire({
    sizes: options.quick ? QUICK : FULL,
    only: options.only,
    profile: options.profile ?? null,
    note: (text) => console.error(`${seconds()}  ${text}`),
  });
  console.log(table(figures));
  console.log('\n✗ = a bar that was missed; the exit code is 0 all the same: this measures, it does not judge.');
  if (options.json) console.log(JSON.stringify(Object.fromEntries(figures.map(({ name, value }) => [name, value]))));
}
