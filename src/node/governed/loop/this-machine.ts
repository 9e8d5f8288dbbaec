/** The run loop over the runner of this machine. */

import { systemClock } from '../../../system/clock.ts';
// The same that its caller has: who holds the lock of a run is known to it.
import * as runner from '../../../governed/this-machine.ts';
import { loopOver, type RunLoop } from './run-loop.ts';

export const runLoop: RunLoop = loopOver({ runner, clock: systemClock });
