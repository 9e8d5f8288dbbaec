/** A custom expectation: when a session's time is up, everyone is notified and the session closes. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import type { TimedEvaluator, ViolationHandler } from 'parley-hub/core';

/** Pure: returns the current waits with their deadlines. The hub keeps the time and fires each wait once. */
export const doneWithin: TimedEvaluator = {
  name: 'done_within',
  version: 1,
  checkParams({ seconds }) {
    const isTime = typeof seconds === 'number' && seconds > 0;
    return isTime ? null : { field: 'seconds', expected: 'a number over 0', received: JSON.stringify(seconds ?? null) };
  },
  waits({ metadata, pacing: { opened }, params }) {
    if (metadata.state !== 'ACTIVE' || opened === null) return [];
    const due_ms = opened.at + Math.ceil(Number(params.seconds) * 1000);
    // The session is the violator, not a participant.
    return [{ agent_id: null, since_seq: opened.seq, since_ms: opened.at, due_ms }];
  },
  describe: (_violated, { params }) => `the ${String(params.seconds)} s of this session are used up`,
};

/** Also pure: returns effects that the hub applies in the unit of the violation. */
export const callTime: ViolationHandler = {
  name: 'call_time',
  version: 1,
  act: () => [
    { kind: 'deliver', to: 'everyone' },
    { kind: 'close', reason: 'out_of_time' },
  ],
};

const hub = await createHub({ evaluators: [doneWithin], handlers: [callTime] });
const alice = await hub.agent('alice', { onMessage() {} });
await hub.agent('bob', { onMessage: (message) => message.reply('Yes, or tomorrow.') });

const inTime = { name: 'done_within', on_violation: 'call_time', params: { seconds: 1 } };
const open = () => alice.open('conversation', { participants: ['bob'], expectations: [inTime] });

const session = await open();
const called = session.waitFor('expectation.violated');
await session.send('Shall we meet in the afternoon?');
assert.equal((await called).event_data.detail, 'the 1 s of this session are used up');
assert.deepEqual(await session.ended(), { state: 'CLOSED', reason: 'out_of_time' });
const { messages } = await session.view();
console.log(messages.map(({ content }) => content).join('\n'));
assert.equal(
  messages.at(-1)?.content,
  '[hub]: expectation done_within was violated: the 1 s of this session are used up',
);

// A session that ends in time has no violation.
const quick = await open();
await quick.close('agreed', { wait: 'closed' });
assert.equal((await quick.ended()).reason, 'agreed');
const violations = (await hub.audit()).filter(({ kind }) => kind === 'expectation_violated');
assert.deepEqual(
  violations.map(({ session_id }) => session_id),
  [session.id],
);
await hub.stop();
