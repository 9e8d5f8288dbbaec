/** `parley redact`. */

import { WireError } from '../../core/lib/errors.ts';
import type { Command } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { findSession } from '../connecting/find-session.ts';
import { wholeIn } from '../terminal/parse-values.ts';
import { looking } from '../../node/commands/reach.ts';
import { Trouble } from '../terminal/command-error.ts';

export const redact: Command = {
  name: 'redact',
  summary: 'Hide what an envelope says, for good and from everybody: a key that leaked.',
  details:
    'Its place, sender and digest stay. Its bytes go with the next "parley archive" after the session has ended. It takes the grant operate, which the operator has.',
  args: [
    { name: 'session', help: 'Its id, four or more digits of its beginning or end, or "last".' },
    { name: 'seq', help: 'Which envelope, as "parley show" numbers them.' },
  ],
  options: [{ name: 'reason', value: 'text', help: 'Why, for the record.' }],
  on: 'hub',
  examples: ['parley redact last 7 --reason "an API key"'],
  json: '{"session_id", "seq", "envelope_id", "redacted", "pinned"}; with "duplicate": true if it was redacted before.',
  run(asked, io) {
    const seq = wholeIn('<seq>', asked.args.seq ?? '', 1);
    return looking(asked, io, async (client) => {
      const session_id = await findSession(client, asked.args.session ?? '');
      const answer = await client
        .call('redact', { session_id, seq, reason: asked.values.reason })
        .catch((thrown: unknown) => {
          throw nothingToHide(thrown) ?? thrown;
        });
      io.put(answer);
      io.say(`${session_id} ${seq} is redacted${answer.duplicate === true ? ' (it was before)' : ''}`);
      io.note(
        answer.pinned
          ? 'nobody is shown it any more; its bytes are on the disk until the session has ended and "parley archive" ran, and in backups made before'
          : 'nobody is shown it any more; its bytes stay on the disk: its session type is missing, so redact it again when that is there',
      );
      return EXIT.done;
    });
  },
};

/** Who may redact may not redact everything: another token would not help. */
function nothingToHide(thrown: unknown): Trouble | null {
  if (!(thrown instanceof WireError)) return null;
  if (thrown.code === 'not_found') {
    const about = 'It takes the grant operate, as the operator has it; "parley show <session>" numbers what was said.';
    return new Trouble('notFound', thrown.code, thrown.message, about);
  }
  if (thrown.code !== 'forbidden' || thrown.details?.field !== 'params.seq') return null;
  const hint = '"parley show <session>" numbers what was said: that can be hidden.';
  return new Trouble('refused', thrown.code, thrown.message, hint);
}
