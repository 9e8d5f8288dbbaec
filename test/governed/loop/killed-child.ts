/** A process that runs a loop and kills itself at the n-th runner step (0 = never; prints the number of steps). */

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
  // Rejects the first attempt of dev, so that rejection is among the steps.
  dispatch: (context) =>
    context.turn.assigned_role === 'dev' && context.turn.attempt === 1
      ? { accept: false, reason: 'once more' }
      : accepted(context),
  approveGate: () => true,
});
console.log(JSON.stringify({ steps, stop_reason, errors }));
