// A hub and participants with a key go through an answer and every kind of failure.
// Arguments: URL of the model server, data folder, number of turns. The key is in the environment.

import { createHub } from 'parley-hub';
import { createLlmAdapter, joinHub } from 'parley-hub/participants';

const [, , origin = '', data = '', turns = '0'] = process.argv;
const apiKey = process.env.STUB_KEY;
const write =
  (level: string) =>
  (message: string, details: object = {}): void =>
    console.error(level, message, JSON.stringify(details));
const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };

const hub = await createHub({ data, log });
hub.on('envelopePosted', ({ envelope }) => console.log(JSON.stringify(envelope)));
const settings = { baseUrl: `${origin}/v1`, apiKey, model: 'gpt-5.5', maxRetries: 0, timeoutMs: 300 };
const bob = await joinHub(await hub.agent('bob', { log }), {
  agent: createLlmAdapter(settings),
  tools: true,
  log,
  budget: { total: { turns: 1_000 } },
  handlers: {
    onDelta: (text) => console.log('delta', text),
    onProgress: (event) => console.log('progress', JSON.stringify(event)),
    onReply: (reply) => console.log('reply', JSON.stringify(reply)),
    onError: (error) => console.log('error', error, error.stack, JSON.stringify(error)),
  },
});
const alice = await hub.agent('alice', { log });
for (let i = 0; i < Number(turns); i += 1) {
  const session = await alice.open('conversation', ['bob']);
  await session.send(`question ${i}`);
  await new Promise<void>((resolve) => {
    const stop = hub.on('envelopePosted', ({ envelope }) => {
      const isAnswer = envelope.session_id === session.id && envelope.sender_id === bob.client.agentId;
      if (!isAnswer || !/^(msg\.text|task\.failed)$/.test(envelope.event_type)) return;
      stop();
      resolve();
    });
  });
  await session.close();
}
await bob.close();
await hub.stop();
console.log('done');
