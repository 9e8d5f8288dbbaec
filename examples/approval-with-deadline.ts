/** An approval with a deadline: people are asked one after the other, and whoever does not answer in time is passed over. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { acksWithin, replyWithin } from 'parley-hub/expectations/entries';

const hub = await createHub();
const deploy = await hub.agent('deploy-bot');
// Paula is not here at all, Otto has it on his screen and no time for it, Maria answers.
(await hub.human('paula')).close();
const otto = await hub.human('otto');
const maria = await hub.human('maria');
maria.onMessage((message) => message.reply('approved'));

/** One question to one person; null = no answer in time. The hub keeps the time, for the invite and for the answer. */
async function ask(person: string): Promise<string | null> {
  const expectations = [acksWithin(1, 'auto_close'), replyWithin(1, 'auto_close')];
  try {
    const session = await deploy.open('consulting', { participants: [person], expectations });
    await session.send('May version 7 go out?');
    const { event_data } = await session.waitFor('msg.text');
    return String(event_data.text);
  } catch (error) {
    // The hub closed the session: before it was open, or while the answer was waited for.
    const { code } = error as { code?: string };
    if (code === 'session_closed' || code === 'session_ended') return null;
    throw error;
  }
}

const answers: Record<string, string | null> = {};
for (const person of ['paula', 'otto', 'maria']) {
  const answer = await ask(person);
  answers[person] = answer;
  console.log(`${person}: ${answer ?? 'no answer in time'}`);
  if (answer === 'approved') break;
}
assert.deepEqual(answers, { paula: null, otto: null, maria: 'approved' });

// What Otto was asked still waits for him, and the session is over: he can tell that it is too late.
const late = await otto.next();
assert.equal(late?.text, 'May version 7 go out?');
await assert.rejects(async () => late?.reply('approved'), { code: 'session_closed' });

// Every missed deadline is in the audit, with who missed it.
const missed = (await hub.audit()).filter(({ kind }) => kind === 'expectation_violated');
assert.deepEqual(
  missed.map(({ detail }) => detail.detail),
  ['paula did not answer the invite within 1 s', 'otto has not answered seq 5 for more than 1 s'],
);
await hub.stop();
