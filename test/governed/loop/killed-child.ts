/** A process that runs the loop of a project, and is gone without a word at the n-th step of its runner (0 = never; it tells how many there were). */

import { createRunner, nextRole } from 'parley-hub/governed';
import { createRunLoop } from '../../../src/governed/loop/run-loop.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { accepted, CONFIG } from './scene.ts';

const [root = '', at = '0'] = process.argv.slice(2);
let steps = 0;
const runner = createRunner({
  reached: () => {
    steps += 1;
    if (steps === Number(at)) process.kill(process.pid, 'SIGKILL');
  },
});
const { stop_reason, errors } = await createRunLoop({ runner, clock: systemClock })(root, CONFIG, {
  selectRole: nextRole,
  // The first try of dev is sent back: rejection is a step like the others.
  dispatch: (context) =>
    context.turn.assigned_role === 'dev' && context.turn.attempt === 1
      ? { accept: false, reason: 'once more' }
      : accepted(context),
  approveGate: () => true,
});
console.log(JSON.stringify({ steps, stop_reason, errors }));
