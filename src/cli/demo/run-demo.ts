/** Runs the demo: a real hub, real clients and scripted speakers. */

import { createHub } from '../../server/create-hub.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { DemoView } from './demo-view.ts';
import { consult, converse, discuss, handleTicket, missTurn } from './scenes.ts';
import { Stage } from './stage.ts';

const NEXT_STEPS = `
What to try next
  npm start                                    a hub to connect to, over a socket (in a clone)
  npm run example -- examples/quickstart.ts    a session in twenty lines of your own (in a clone)
  README.md                                    what is guaranteed, and a session type of your own
  SPEC.md                                      every rule; each is proven by a test`;

export async function runDemo(terminal: Terminal): Promise<void> {
  const view = new DemoView(terminal);
  const hub = await createHub();
  try {
    view.watch(hub);
    const opening = 'A hub in this process, agents and a person on their links, and every line as it happens.';
    view.print(terminal.paint(opening, 'bold'));
    for (const scene of [consult, converse, discuss, missTurn, handleTicket]) {
      const stage = new Stage(hub, view);
      await scene(stage);
      await stage.clear();
    }
    view.print(NEXT_STEPS);
    await view.beat();
  } finally {
    await hub.stop();
  }
}
