/** Either may speak at any time, until one closes it. */

import { refusalOf, type Stage } from '../../cli/demo/stage.ts';

export async function converse(stage: Stage): Promise<void> {
  const { view } = stage;
  const coder = await stage.agent('coder');
  const answers = ['Put them in quotes, and double the quotes inside.', 'Yes. It reads well.'];
  await stage.agent('reviewer', {
    async onMessage(message) {
      if (!message.text.endsWith('?')) return;
      await view.beat();
      await message.reply(answers.shift() ?? 'Ask me tomorrow.');
    },
  });
  view.title('conversation: two talk until one closes it');
  const talk = await coder.open('conversation', ['reviewer']);
  await view.beat();

  await talk.send('The export is ready. It streams, so memory stays flat.');
  await view.beat();
  await talk.send('How do we write fields with line breaks?');
  await talk.waitFor('msg.text');
  await view.beat();
  await talk.send('Done. Shall I merge?');
  await talk.waitFor('msg.text');
  await view.beat();

  await talk.close('merged');
  await talk.ended();
  await view.beat();
  view.aside('coder', 'says one more thing');
  await refusalOf(talk.send('Thank you!'));
  await view.beat();
}
