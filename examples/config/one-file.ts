/** One config file starts a hub with a script agent and a model agent; the model is a local stub. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connect } from 'parley-hub';
import { stubModel } from '../shared/stub-model.ts';

const model = await stubModel(() => 'It is good.\n\n```json meta\n{"verdict": "approve"}\n```');
const data = await mkdtemp(join(tmpdir(), 'parley-'));

// On the command line: parley up --config examples/config/parley.config.json --json
const [command, config] = ['../../src/cli/main.ts', 'parley.config.json'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
const up = spawn(process.execPath, [...process.execArgv, command ?? '', 'up', '--config', config ?? '', '--json'], {
  env: { ...process.env, PORT: '0', DATA: data, MODEL_URL: model.baseUrl },
  stdio: ['ignore', 'pipe', 'inherit'],
});

let url = '';
for await (const line of createInterface(up.stdout)) {
  const told = JSON.parse(line);
  console.log(told.event, told.name ?? told.url);
  if (told.event !== 'listening') continue;
  url = told.url;
  break;
}

const token = (await readFile(join(data, 'operator-token'), 'utf8')).trim();
const alice = await connect(url, { name: 'alice', token, onMessage() {} });
const ask = async (name: string, question: string) => {
  const session = await alice.open('consulting', [name]);
  await session.send(question);
  const { event_data } = await session.waitFor('msg.text');
  console.log(`${name}: ${event_data.text}`);
  await session.ended();
  return event_data;
};

const plan = await ask('planner', 'What comes first?');
assert.equal(plan.text, 'First the schema, then the code.');
const review = await ask('reviewer', `"${plan.text}" Is that a plan?`);
// The message carries the metadata that the role's schema has validated.
assert.equal(Object(review.meta).verdict, 'approve');
assert.match(model.requests[0]?.system ?? '', /^You review plans\./);

alice.close();
up.kill('SIGINT');
const [code] = await once(up, 'exit');
assert.equal(code, 0);
await model.stop();
await rm(data, { recursive: true });
