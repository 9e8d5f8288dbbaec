/** A script without a client: creates a session, posts and reads over HTTP, while an agent answers over its connection. */

import assert from 'node:assert/strict';
import { connect, createHub } from 'parley-hub';

const hub = await createHub();
const { url } = await hub.listen({ port: 0 });
const bob = await connect(url, {
  name: 'bob',
  token: (await hub.createToken({ name: 'bob' })).token,
  onMessage: (message) => message.reply('4'),
});

const { token } = await hub.createToken({ name: 'script' });
const api = `${url.replace('ws:', 'http:')}/api/v1`;

/** Only the members used here; /openapi.json describes all. */
interface Answer {
  readonly session: { readonly session_id: string };
  readonly seq: number;
  readonly envelopes: readonly { readonly event_type: string; readonly event_data: { readonly text?: string } }[];
  readonly error: { readonly code: string; readonly message: string };
}

async function ask(method: 'GET' | 'POST', path: string, params?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = params === undefined ? null : JSON.stringify(params);
  const response = await fetch(`${api}${path}`, { method, headers, body });
  const answer = (await response.json()) as Answer;
  if (!response.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer;
}

await ask('POST', '/register', { name: 'script' });
const { session } = await ask('POST', '/sessions', { type: 'consulting', participants: ['bob'] });
const question = { event_type: 'msg.text', event_data: { text: 'What is 2 + 2?' }, idempotency_key: 'q1' };
const { seq } = await ask('POST', `/sessions/${session.session_id}/post`, question);

// Without a connection the script has to poll for the answer.
let answer: string | undefined;
while (answer === undefined) {
  const { envelopes } = await ask('GET', `/sessions/${session.session_id}/log?from_seq=${seq + 1}`);
  answer = envelopes.find(({ event_type }) => event_type === 'msg.text')?.event_data.text;
}
assert.equal(answer, '4');
console.log(`bob says ${answer}`);

bob.close();
await hub.stop();
