// A program that plays an agent: it reads its prompt, writes a first line, and goes on when it may.
// fake-agent.mjs <folder> [answer...]: says when it runs in <folder>/pids, and waits for <folder>/go.

import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const [, , folder, ...answer] = process.argv;
let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
appendFileSync(`${folder}/pids`, `${process.pid}\n`);
process.stdout.write(`I read ${prompt.length > 0 ? 'it' : 'nothing'}.\n`);
while (!existsSync(`${folder}/go`)) await pause(10);
process.stdout.write(`${answer.join(' ') || 'Done.'}\n`);
