/** What is told to who was sent away by the hub. */

import { Trouble } from '../../cli/terminal/command-error.ts';

export function sentAway(name: string, reason: string): Trouble {
  if (reason !== 'replaced')
    return new Trouble(
      'unreachable',
      reason,
      `the hub said goodbye (${reason})`,
      'Is it still running? "parley doctor" says more.',
    );
  const hint = `It goes on there; "parley join --name ${name} --take-over" brings it back here.`;
  return new Trouble('inUse', 'replaced', `${name} was connected elsewhere, and is no longer connected here`, hint);
}
