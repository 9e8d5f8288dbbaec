/** An approval with a deadline: a person is asked, and if no answer comes in time the session closes and says why. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { acksWithin, replyWithin } from 'parley-hub/expectations/entries';

const hub = await createHub();
const deploy = await hub.agent('deploy-bot');
await hub.agent('quick-chief', { onMessage: (message) => message.reply('approved') });
await hub.agent('busy-chief', { onMessage() {} });

async function approvalOf(chief: string): Promise<string> {
  const expectations = [acksWithin(5, 'auto_close'), replyWithin(0.5, 'auto_close')];
  const session = await deploy.open('consulting', { participants: [chief], expectations });
  await session.send('May version 7 go out?');
  const { reason } = await session.ended();
  if (reason !== 'consulting_complete') return `no: ${reason}`;
  const { messages } = await session.view();
  return messages.at(-1)?.content ?? '';
}

assert.match(await approvalOf('quick-chief'), /approved/);
const late = await approvalOf('busy-chief');
assert.equal(late, 'no: expectation_violated:reply_within');
const violations = (await hub.audit()).filter(({ kind }) => kind === 'expectation_violated');
assert.equal(violations.length, 1);
console.log(`busy-chief did not answer in time (${late})`);
await hub.stop();
