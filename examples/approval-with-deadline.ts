/** An approval with a deadline: asks people one after the other, and skips those that do not answer in time. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { acksWithin, replyWithin } from 'parley-hub/expectations/entries';

const hub = await createHub();
const deploy = await hub.agent('deploy-bot');
// Paula is offline, Otto sees it but has no time, Maria answers.
(await hub.human('paula')).close();
const otto = await hub.human('otto');
const maria = await hub.human('maria');
maria.onMessage((message) => message.reply('approved'));

/** Asks one person; null = no answer in time. The hub enforces both deadlines, for the invite and for the answer. */
async function ask(person: string): Promise<string | null> {
  const expectations = [acksWithin(1, 'auto_close'), replyWithin(1, 'auto_close')];
  try {
    const session = await deploy.open('consulting', { participants: [person], expectations });
    await session.send('May version 7 go out?');
    const { event_data } = await session.waitFor('msg.text');
    return String(event_data.text);
  } catch (error) {
    // The hub closed the session, either before it opened or while we waited.
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

// Otto can still read the question, but it is too late to answer.
const late = await otto.next();
assert.equal(late?.text, 'May version 7 go out?');
await assert.rejects(async () => late?.reply('approved'), { code: 'session_closed' });

// The audit trail names the participant that missed each deadline.
const missed = (await hub.audit()).filter(({ kind }) => kind === 'expectation_violated');
assert.deepEqual(
  missed.map(({ detail }) => detail.detail),
  ['paula did not answer the invite within 1 s', 'otto has not answered seq 5 for more than 1 s'],
);
await hub.stop();
