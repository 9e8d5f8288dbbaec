/** Opens a hub over a data folder and posts once: the time to the answer. */

import { Arena } from './arena.ts';

const [folder = '', sessionId = '', agentName = ''] = process.argv.slice(2);
const begin = performance.now();
const arena = await Arena.open(folder);
await arena.post(await arena.join(agentName), sessionId);
const ms = performance.now() - begin;
const { heapUsed } = process.memoryUsage();
await arena.stop();
console.log(JSON.stringify({ ms, heapBytes: heapUsed }));
