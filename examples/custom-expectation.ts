/** An expectation of your own: everyone in a session says something soon after it opens, or all are told who did not. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { nameOf, type TimedEvaluator, type ViolationHandler } from 'parley-hub/core';

/** Pure: what is waited for now, and from when on it is a violation. The hub asks it, fires each wait once, and keeps the time. */
export const firstWord: TimedEvaluator = {
  name: 'first_word',
  version: 1,
  needsUnanswered: true,
  checkParams({ seconds }) {
    const isTime = typeof seconds === 'number' && seconds > 0;
    return isTime ? null : { field: 'seconds', expected: 'a number over 0', received: JSON.stringify(seconds ?? null) };
  },
  waits({ metadata, pacing, params }) {
    const { opened } = pacing;
    if (metadata.state !== 'ACTIVE' || opened === null) return [];
    const due_ms = opened.at + Math.ceil(Number(params.seconds) * 1000);
    // Who is addressed and has not answered has not spoken.
    return pacing.unanswered.map(({ agent_id }) => ({ agent_id, since_seq: opened.seq, since_ms: opened.at, due_ms }));
  },
  describe: (violated, { metadata }) =>
    `still silent: ${violated.map(({ agent_id }) => nameOf(metadata, agent_id ?? '')).join(', ')}`,
};

/** Also pure: effects as data, which the hub carries out in the unit of the violation. */
export const nudge: ViolationHandler = {
  name: 'nudge',
  version: 1,
  act: () => [{ kind: 'deliver', to: 'everyone' }],
};

const hub = await createHub({ evaluators: [firstWord], handlers: [nudge] });
const alice = await hub.agent('alice');
await hub.agent('bob', { onMessage() {} });
const expectations = [{ name: 'first_word', on_violation: 'nudge', params: { seconds: 0.1 } }];
const session = await alice.open('conversation', { participants: ['bob'], expectations });
await session.send('Anybody there?');

const violated = await session.waitFor('expectation.violated');
assert.equal(violated.event_data.detail, 'still silent: bob');
const { messages } = await session.view();
assert.equal(messages.at(-1)?.content, '[hub]: expectation first_word was violated: still silent: bob');
console.log(messages.at(-1)?.content);
await hub.stop();
