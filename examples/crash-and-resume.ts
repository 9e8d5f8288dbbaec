/** A hub is killed after a message became durable and before its delivery; the next hub delivers it once. */

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub } from 'parley-hub';

const [, file = '', data] = process.argv;
if (data === undefined) await main(file);
else await crash(data);

/** The process that is killed: alice's message is acknowledged while bob is away. */
async function crash(folder: string): Promise<void> {
  const hub = await createHub({ data: folder });
  const alice = await hub.agent('alice');
  const bob = await hub.agent('bob');
  const session = await alice.open('conversation', ['bob']);
  await bob.close();
  const { seq } = await session.send('The door code is 4711.', { key: 'door' });
  process.send?.({ sessionId: session.id, seq }, () => process.kill(process.pid, 'SIGKILL'));
}

async function main(script: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-'));
  const child = fork(script, [folder]);
  const [[{ sessionId, seq }], [, signal]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
  console.log(`alice's message has number ${seq}; the hub was ended by ${signal}`);
  assert.equal(signal, 'SIGKILL');

  const hub = await createHub({ data: folder });
  const bob = await hub.agent('bob');
  const heard = bob.session(sessionId)[Symbol.asyncIterator]();
  const first = await heard.next();
  console.log('bob connects and hears:', first.value?.text);
  assert.equal(first.value?.text, 'The door code is 4711.');

  // Alice cannot know whether her message arrived, so she repeats it under the same key.
  const session = (await hub.agent('alice')).session(sessionId);
  const answer = await session.send('The door code is 4711.', { key: 'door' });
  console.log(`alice repeats it: duplicate ${answer.duplicate}, number ${answer.seq}`);
  assert.deepEqual([answer.duplicate, answer.seq], [true, seq]);

  await session.send('It is a new door.');
  const next = await heard.next();
  console.log('the next that bob hears:', next.value?.text);
  assert.equal(next.value?.text, 'It is a new door.');

  await hub.stop();
  await rm(folder, { recursive: true });
}
