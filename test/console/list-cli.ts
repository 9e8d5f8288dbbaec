// Measures the session list with many sessions: fills a hub and scrolls through all of them.
// npm run bench:console-list [-- sessions]

import { consoleWorld, openConsole } from './support/console-world.ts';
import { fillHub, scrollThrough } from './support/long-list.ts';

const count = Number(process.argv[2] ?? 10_000);
const MAX_NODES = 1_500;

const world = await consoleWorld();
try {
  const began = performance.now();
  await fillHub(world.hub, count);
  console.log(`${count} sessions made in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  const page = await openConsole(world, { name: 'ann', token: await world.tokenFor('ann') });
  const scrolled = await scrollThrough(page, count, 600);
  console.log(scrolled);
  if (scrolled.rowsRead < count || scrolled.mostNodes > MAX_NODES) {
    console.error(`expected ${count} rows read and at most ${MAX_NODES} elements on the page`);
    process.exitCode = 1;
  }
} finally {
  await world.end();
}
