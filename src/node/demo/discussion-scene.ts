/** Four speak in turn for two rounds. One falls silent, is hidden so that the turn passes on, and comes back into its place. */

import { named, windowedSummary } from 'parley-hub/views/refs';
import { refusalOf, type Stage } from './stage.ts';

const ROUNDS = 2;

export async function discuss(stage: Stage): Promise<void> {
  const { hub, view } = stage;
  const planner = await stage.agent('planner');
  await stage.speaker('coder', [null, 'Sorry, I was away. The export is merged.']);
  const reviewer = await stage.speaker('reviewer', ['Friday, if the tests pass.', 'Then I sign it off.']);
  const tester = await stage.speaker('tester', ['They pass, but for one.', 'All green now.']);
  view.title('discussion: four speak in turn, for two rounds');
  const talk = await planner.open('discussion', {
    participants: ['coder', 'reviewer', 'tester'],
    knobs: { rounds: ROUNDS },
  });
  await view.beat();

  view.aside('tester', 'has an opinion already');
  await refusalOf(tester.session(talk.id).send('Not on a Friday!'));
  await view.beat();

  await talk.send('When do we release the export?');
  await view.beat();
  await view.beat();
  view.aside('coder', 'says nothing, and the owner of the hub hides it');
  await hub.hideParticipant(talk.id, 'coder', 'no answer');
  // Nobody here says who is next: the hub gives the turn, and the speakers take it.
  await talk.waitFor('msg.text');
  await talk.waitFor('msg.text');
  await view.beat();

  await hub.returnParticipant(talk.id, 'coder');
  await view.beat();
  await talk.send('So, is it Friday?');
  for (let heard = 0; heard < 3; heard++) await talk.waitFor('msg.text');
  await talk.ended();
  await view.beat();
  view.shown('reviewer', await reviewer.session(talk.id).view({ view: named(windowedSummary(3)) }));
  await view.beat();
}
