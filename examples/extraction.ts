/** A reviewer with a typed verdict: its first answer violates the schema; after a hint, the second one is valid. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { createLlmAdapter, createRole, joinHub } from 'parley-hub/participants';
import { z } from 'zod';
import { stubModel } from './shared/stub-model.ts';

// A stub model that forgets the format at first.
const stub = await stubModel(({ messages }) => {
  const verdict = messages.length === 1 ? 'maybe' : 'changes';
  return `Two names are misleading.\n\n\`\`\`json meta\n{"verdict": "${verdict}", "findings": 2}\n\`\`\``;
});

const review = z.object({ verdict: z.enum(['approve', 'changes']), findings: z.int().min(0) });
const reviewer = createRole(
  createLlmAdapter({ baseUrl: stub.baseUrl, apiKey: 'test-key', model: 'stub' }),
  'You review code.',
  review,
);

const hub = await createHub();
const participant = await joinHub(await hub.agent('reviewer'), {
  role: reviewer,
  handlers: { onProgress: ({ text }) => console.log(text) },
});
const maria = await hub.agent('maria', { onMessage() {} });
const session = await maria.open('consulting', ['reviewer']);
await session.send('Please review the change.');
await session.ended();

// The message carries the metadata and the usage of both calls.
const said = [];
for await (const { event_type, event_data } of session.log()) if (event_type === 'msg.text') said.push(event_data);
const answer = said.at(-1);
console.log(JSON.stringify(answer?.meta));
const { verdict, findings } = review.parse(answer?.meta);
assert.deepEqual({ verdict, findings }, { verdict: 'changes', findings: 2 });
assert.equal(said.length, 2);

// The hint quotes the schema.
assert.equal(stub.requests.length, 2);
assert.match(stub.requests[1]?.messages.at(-1)?.content ?? '', /verdict: .*"approve"\|"changes"/);

// Without a hub a role is a function whose metadata has the schema's type.
const timestamp = '2026-11-01T00:00:00.000Z';
const start = { role: 'user', content: 'Please review the change.', meta: {}, timestamp };
const { content, meta } = await reviewer({ threadId: 'local', start, steps: [] });
const isDone: boolean = meta.verdict === 'approve';
assert.equal(isDone, false);
assert.ok(content.startsWith('Two names are misleading.'));

await participant.close();
await hub.stop();
await stub.stop();
