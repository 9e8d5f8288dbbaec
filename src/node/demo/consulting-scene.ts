/** One question, one reply; the adapter says who may speak and closes the session by itself. */

import { HubError } from '../../core/lib/errors.ts';
import { refusalOf, type Stage } from '../../cli/demo/stage.ts';

export async function consult(stage: Stage): Promise<void> {
  const { view } = stage;
  const planner = await stage.agent('planner');
  const coder = await stage.agent('coder');
  view.title('consulting: one question, one reply');
  const question = await planner.open('consulting', ['coder']);
  const reply = coder.session(question.id);
  await view.beat();

  view.aside('coder', 'speaks first, out of turn');
  await refusalOf(reply.send('Ask me about the export!'));
  await view.beat();

  const text = 'How long will the CSV export take?';
  await question.send(text, { key: 'question-1' });
  await view.beat();
  view.aside('planner', 'saw no answer and sends again, under the same key');
  const again = await question.send(text, { key: 'question-1' });
  if (again.duplicate !== true) throw new HubError('demo', 'a repeated send was accepted twice');
  view.aside('planner', `is answered "duplicate": it is seq ${again.seq}, in the log once`);
  await view.beat();

  await reply.waitFor('msg.text');
  await reply.send('Two days, tests included.');
  await question.waitFor('msg.text');
  await question.ended();
  await view.beat();
}
