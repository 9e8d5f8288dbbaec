// A stand-in for an agent: `fake-agent.mjs <folder> [answer...]` reads its prompt, writes its pid to <folder>/pids and a first
// line, then waits for <folder>/go.

import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const [, , folder, ...answer] = process.argv;
let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
appendFileSync(`${folder}/pids`, `${process.pid}\n`);
process.stdout.write(`I read ${prompt.length > 0 ? 'it' : 'nothing'}.\n`);
while (!existsSync(`${folder}/go`)) await pause(10);
process.stdout.write(`${answer.join(' ') || 'Done.'}\n`);
