/** Two agents in two processes connect over a WebSocket, to the hub of `npm start` or to a hub of this example. */

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createHub } from 'parley-hub';

const [, file = '', url, token] = process.argv;
if (url === undefined || token === undefined) await main(file);
else await helper(url, token);

/** The second process: answers one question and exits when its session ends. */
async function helper(address: string, secret: string): Promise<void> {
  const bob = await connect(address, { name: 'bob', token: secret, onMessage: (message) => message.reply('4') });
  process.send?.('ready');
  process.once('message', () => bob.close());
  await bob.closed;
  process.disconnect();
}

async function main(script: string): Promise<void> {
  const hub = await runningHub();
  const child = fork(script, [hub.url, hub.token]);
  await once(child, 'message');

  const alice = await connect(hub.url, { name: 'alice', token: hub.token });
  const session = await alice.open('consulting', ['bob']);
  await session.send('What is 2 + 2?');
  const answer = await session.waitFor('msg.text');
  console.log(`over ${hub.url} bob says:`, answer.event_data.text);
  assert.equal(answer.event_data.text, '4');
  assert.equal((await session.ended()).reason, 'consulting_complete');

  child.send('done');
  await once(child, 'exit');
  alice.close();
  await hub.stop();
}

interface RunningHub {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

async function runningHub(): Promise<RunningHub> {
  const { PARLEY_URL: address = 'ws://127.0.0.1:4747', PARLEY_DATA: data = '.parley' } = process.env;
  const kept = (await readFile(`${data}/operator-token`, 'utf8').catch(() => '')).trim();
  const ready = await fetch(`${address.replace(/^ws/, 'http')}/readyz`).catch(() => null);
  if (kept !== '' && ready?.ok === true) return { url: address, token: kept, stop: async () => {} };
  console.log(`no hub at ${address} with its token in ${data}: using one of this example's own`);
  const hub = await createHub();
  const port = await hub.listen({ port: 0 });
  const { token } = await hub.createToken({ grants: ['enrol'] });
  return { url: port.url, token, stop: () => hub.stop() };
}
