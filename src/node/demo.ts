/** `parley demo`: a real hub, real clients and scripted speakers, so that one can see a session live and end. */

import type { AgentClient, MessageHandler } from '../client/index.ts';
import { HubError } from '../core/errors.ts';
import { createHub, type LocalHub } from './create-hub.ts';
import { DemoView } from './demo-view.ts';
import type { Terminal } from './terminal.ts';

const NEXT_STEPS = `
What to try next
  npm run example -- examples/quickstart.ts    the same in twenty lines of your own (in a clone)
  README.md                                    what is guaranteed, and a session type of your own
  SPEC.md                                      every rule; each is proven by a test`;

export async function runDemo(terminal: Terminal): Promise<void> {
  const view = new DemoView(terminal);
  const hub = await createHub();
  try {
    view.watch(hub);
    view.print(
      terminal.paint('A hub in this process, three agents on their links, and every line as it happens.', 'bold'),
    );
    const coder = await agent(hub, view, 'coder');
    await consult(hub, view, coder);
    await converse(hub, view, coder);
    view.print(NEXT_STEPS);
    await view.beat();
  } finally {
    await hub.stop();
  }
}

/** One question, one reply; the adapter says who may speak and closes the session by itself. */
async function consult(hub: LocalHub, view: DemoView, coder: AgentClient): Promise<void> {
  const planner = await agent(hub, view, 'planner');
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

/** Either may speak at any time, until one closes it. */
async function converse(hub: LocalHub, view: DemoView, coder: AgentClient): Promise<void> {
  const answers = ['Put them in quotes, and double the quotes inside.', 'Yes. It reads well.'];
  await agent(hub, view, 'reviewer', async (message) => {
    if (!message.text.endsWith('?')) return;
    await view.beat();
    await message.reply(answers.shift() ?? 'Ask me tomorrow.');
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

/** An agent that thinks for a moment before it accepts an invite. */
function agent(hub: LocalHub, view: DemoView, name: string, onMessage?: MessageHandler): Promise<AgentClient> {
  const onInvite = async (): Promise<true> => {
    await view.beat();
    return true;
  };
  return hub.agent(name, { onInvite, onMessage });
}

/** Waits for a refusal; what the hub says about it is drawn by the view. */
async function refusalOf(send: Promise<unknown>): Promise<void> {
  const accepted = await send.then(
    () => true,
    () => false,
  );
  if (accepted) throw new HubError('demo', 'a send was accepted that must be refused');
}
