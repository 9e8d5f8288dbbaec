/** Wrong frames by the hundred thousand: `npm run fuzz [-- --frames 1000000 --seed 8]`. Prints what came of them. */

import { parseArgs } from 'node:util';
import { createHub } from 'parley-hub';
import { fuzz, logOf } from './fuzz.ts';

const { values } = parseArgs({
  options: { frames: { type: 'string', default: '100000' }, seed: { type: 'string', default: '7' } },
});
const [frames, seed] = [Number(values.frames), Number(values.seed)];
const hub = await createHub();
const { url } = await hub.listen({ port: 0, auth: { none: true } });
const [alice] = [await hub.agent('alice'), await hub.agent('bob')];
const session = await alice.open('conversation', ['bob']);
await session.send('hello');
const before = (await logOf(hub, 'alice', session.id)).join();
const startedMs = performance.now();
const result = await fuzz(url, session.id, frames, seed);
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
const isSame = (await logOf(hub, 'alice', session.id)).join() === before;
const { ready } = hub.health();
await hub.stop();
console.log(`seed ${seed}: ${JSON.stringify(result)} in ${seconds} s; log unchanged: ${isSame}; hub ready: ${ready}`);
if (!isSame || !ready) process.exitCode = 1;
