/** `parley close`. */

import type { Asked, Command } from '../../cli/terminal/command.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import { findSession } from '../../cli/connecting/find-session.ts';
import { printableLine } from '../../cli/terminal/printable.ts';
import { acting, looking } from './reach.ts';

export const close: Command = {
  name: 'close',
  summary: 'Close a session; those present still get what was said.',
  details: 'As the operator of the hub, unless --as says who closes it.',
  args: [{ name: 'session', help: 'Its id, four or more digits of its beginning or end, or "last".' }],
  options: [
    { name: 'reason', value: 'text', help: 'Why, for everyone in it to read.' },
    { name: 'wait', help: 'Until everyone present has heard it.' },
  ],
  on: 'hub',
  acts: true,
  examples: ['parley close last --reason "done for today"'],
  json: '{"session_id", "state", "close_reason"}.',
  run(asked, io) {
    const way = asked.values.as === undefined ? looking : acting;
    return way(asked, io, async (client) => {
      const session_id = await findSession(client, asked.args.session ?? '');
      const answer = await client.call('close_session', { session_id, reason: reasonOf(asked), wait: waitOf(asked) });
      io.put({ session_id, ...answer });
      io.say(`${session_id}  ${answer.state}  ${printableLine(answer.close_reason ?? '')}`);
      return EXIT.done;
    });
  },
};

function reasonOf({ values }: Asked): string | undefined {
  return values.reason;
}

function waitOf({ switches }: Asked): 'closing' | 'closed' {
  return switches.has('wait') ? 'closed' : 'closing';
}
