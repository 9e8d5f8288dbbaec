/** Four speak in turn for two rounds. Nobody here says who is next: the hub gives the turn, and the speakers take it. */

import { named, windowedSummary } from 'parley-hub/views/refs';
import { hearTexts, refusalOf, type Stage } from '../../cli/demo/stage.ts';

const ROUNDS = 2;

export async function discuss(stage: Stage): Promise<void> {
  const { view } = stage;
  const planner = await stage.agent('planner');
  await stage.speaker('coder', ['It is merged. When the review is done.', 'Yes.']);
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
  await hearTexts(talk, 3);
  await view.beat();
  await talk.send('So, is it Friday?');
  await hearTexts(talk, 3);
  await talk.ended();
  await view.beat();
  view.shown('reviewer', await reviewer.session(talk.id).view({ view: named(windowedSummary(3)) }));
  await view.beat();
}
