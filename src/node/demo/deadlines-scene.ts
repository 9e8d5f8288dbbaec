/** A turn has a time. Who misses it is warned, then hidden by the hub so that the others can go on, and may come back into its place. */

import { turnWithin } from 'parley-hub/expectations/entries';
import { type ExpectationEntry, nameOf, type SessionMetadata } from '../../core/records/session/session.ts';
import { hearTexts, refusalOf, type Stage } from '../../cli/demo/stage.ts';

/** Only the coder's turns: the others take theirs at once, and no slow machine makes them late. */
const CODER = { appliesTo: ['coder'] };
const EXPECTATIONS = [turnWithin(1, 'warn', CODER), turnWithin(2, 'hide', CODER)];

export async function missTurn(stage: Stage): Promise<void> {
  const { view } = stage;
  const planner = await stage.agent('planner');
  const coder = await stage.speaker('coder', [null, 'I was lost in a bug. It is fixed.']);
  await stage.speaker('reviewer', ['Not today. The export has a bug.', 'Then I see no reason to wait.']);
  view.title('deadlines: a turn that is not taken in time passes on');
  const talk = await planner.open('discussion', {
    participants: ['coder', 'reviewer'],
    knobs: { rounds: 2 },
    expectations: EXPECTATIONS,
  });
  const { session } = await talk.info();
  for (const entry of session.manifest.expectations) view.aside('rule', inWords(entry, session));
  await view.beat();

  const late = coder.session(talk.id);
  const warning = late.waitFor('expectation.violated');
  await talk.send('Do we release today?');
  view.aside('coder', 'says nothing, and time goes by');
  // Nobody here does anything until the next text: the hub keeps the time, and the reviewer takes the turn it is given.
  await hearTexts(talk, 1);
  await warning;
  await view.beat();

  view.aside('coder', 'has read the warning too late, and speaks');
  await refusalOf(late.send('Wait for me!'));
  await view.beat();
  await late.comeBack();
  await view.beat();
  await talk.send('Coder, what do you say?');
  await hearTexts(talk, 2);
  await talk.ended();
  await view.beat();
}

function inWords({ params, on_violation, applies_to = [] }: ExpectationEntry, metadata: SessionMetadata): string {
  const who = applies_to.map((id) => nameOf(metadata, id)).join(', ');
  return `if ${who} has the turn for ${String(params.seconds)} s ▸ ${on_violation}`;
}
