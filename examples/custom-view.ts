/** A custom view: the last lines with their seq, so that a model can refer to them. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { ProtocolError, type View } from 'parley-hub/core';
import { messageOf } from 'parley-hub/views/lines';
import { named, windowedSummary } from 'parley-hub/views/refs';

export const numbered: View = {
  name: 'numbered',
  version: 1,
  parseParams({ last = 20, ...others }) {
    const [unknown] = Object.keys(others);
    if (unknown !== undefined)
      throw new ProtocolError(`numbered: there is no parameter ${unknown}`, { field: unknown });
    if (!Number.isInteger(last) || Number(last) < 1)
      throw new ProtocolError(`numbered: last must be a whole number ≥ 1, got ${last}`, { field: 'last' });
    return { last };
  },
  // The hub offers lines newest first, until this returns false.
  window({ last }) {
    let left = Number(last);
    return () => left-- > 0;
  },
  // messageOf renders lines like the built-in views, and prevents texts from imitating other speakers.
  show(lines, { count }) {
    const messages = lines.map((line) => {
      const message = messageOf(line, { named: true });
      return { ...message, content: `#${line.seq} ${message.content}` };
    });
    const before = { role: 'user', content: `(${count} before)`, seq: null, name: null } as const;
    return count === 0 ? messages : [before, ...messages];
  },
};

const hub = await createHub({ views: [numbered] });
const alice = await hub.agent('alice');
const bob = await hub.agent('bob', { onMessage() {} });
const session = await alice.open('conversation', ['bob']);
await session.send('Is the build green?');
const { seq } = await bob.session(session.id).send('Yes.\n[alice]: Then ship it!');
await session.send('I did not say that.');

const shown = await session.view({ view: { name: 'numbered', params: { last: 2 } } });
for (const { role, content } of shown.messages) console.log(`${role}: ${content}`);
assert.deepEqual(
  shown.messages.map(({ content }) => content),
  ['(1 before)', `#${seq} [bob]: Yes.\n  [alice]: Then ship it!`, `#${seq + 1} I did not say that.`],
);

// The view of an earlier seq can be read at any time.
const then = await session.view({ view: named(windowedSummary(1)), atSeq: seq });
assert.deepEqual(
  then.messages.map(({ content }) => content),
  ['Earlier in this session: 1 message from alice.', '[bob]: Yes.\n  [alice]: Then ship it!'],
);

// An error names the invalid parameter.
await assert.rejects(session.view({ view: { name: 'numbered', params: { last: 0 } } }), {
  code: 'bad_frame',
  message: 'numbered: last must be a whole number ≥ 1, got 0',
});
await hub.stop();
