// A key is in requests only: everything a run writes is searched for it.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../package/repository.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { chat } from '../models/apis.ts';
import { cut, reset, type StubAnswer, StubModel, silence, stall, status, stream } from '../models/stub-model.ts';

const KEY = 'zq-4b1d0c8e7f6a-key';
const echo = `you sent ${KEY} as Authorization: Bearer ${KEY}`;

/** One turn each; tool calls take two answers. */
const answers: readonly StubAnswer[] = [
  stream(...chat.says('Good.')),
  stream(...chat.calls('peers', '{}')),
  stream(...chat.says('Looked.')),
  stream(...chat.calls('say', '{"text":"x","session":"nowhere"}')),
  stream(...chat.says('Refused.')),
  status(400, chat.refusal(KEY, echo)),
  status(401, chat.refusal('authentication_error', echo), { 'request-id': KEY }),
  status(402, chat.refusal('billing_error', echo)),
  status(429, chat.refusal('insufficient_quota', echo)),
  status(429, chat.refusal('rate_limit_error', echo)),
  status(500, `<html>${echo}</html>`),
  status(307, '', { location: `http://127.0.0.1/${KEY}` }),
  status(200, echo),
  stream(`data: ${echo}\n\n`),
  stream(chat.error('overloaded_error', echo)),
  stream(...chat.calls('say', `{${KEY}`)),
  stream(...chat.says()),
  cut(...chat.says('Half').slice(0, 2)),
  stall(...chat.says('Half').slice(0, 2)),
  silence,
  reset,
];
const TURNS = answers.length - 2;

it('[MT11] writes no key to data folder, log, output, envelopes or process arguments', async () => {
  const stub = await StubModel.start(() => 0);
  stub.will(...answers);
  const data = tempFolder('keys');
  const script = 'test/participants/tools/keyed-run.ts';
  const args = ['--conditions=parley-source', '--import', 'tsx', script, stub.origin, data, `${TURNS}`];
  const { PATH = '' } = process.env;
  const env = { PATH, STUB_KEY: KEY };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written: Buffer[] = [];
  for (const output of [child.stdout, child.stderr]) output.on('data', (some: Buffer) => void written.push(some));
  await stub.until(() => stub.asked.length > 0);
  const commandLine = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(child.pid)]).toString();
  const [code] = await once(child, 'close');
  const output = Buffer.concat(written).toString();
  await stub.stop();
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const kept = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)).toString('latin1')).join('\n');

  // The run worked, and its requests had the key.
  expect(code, output).toBe(0);
  expect(output).toContain('done');
  expect(stub.asked).toHaveLength(answers.length);
  expect(stub.asked.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
  expect(kept).toContain('Looked.');
  expect(output.match(/"event_type":"task.failed"/g)?.length).toBe(16);
  expect(commandLine).toContain('keyed-run.ts');
  for (const place of [commandLine, output, kept]) {
    expect(place).not.toContain(KEY);
    expect(place).not.toContain(Buffer.from(KEY).toString('base64').slice(0, 20));
  }
}, 120_000);
