/** `parley redact`. */

import { WireError } from '../../core/lib/errors.ts';
import { withHub } from '../connecting/connect.ts';
import { findSession } from '../connecting/find-session.ts';
import { type Command, SESSION_ARGUMENT } from '../terminal/command.ts';
import { CommandError, notFoundError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { parseInteger } from '../terminal/parse-values.ts';

export const redact: Command = {
  name: 'redact',
  summary: 'Hide what an envelope says, for good and from everybody: a key that leaked.',
  details:
    'Its place, sender and digest stay. Its bytes go with the next "parley archive" after the session has ended. It takes the grant operate, which the operator has.',
  args: [SESSION_ARGUMENT, { name: 'seq', help: 'Which envelope, as "parley show" numbers them.' }],
  options: [{ name: 'reason', value: 'text', help: 'Why, for the record.' }],
  on: 'hub',
  examples: ['parley redact last 7 --reason "an API key"'],
  json: '{"session_id", "seq", "envelope_id", "redacted", "pinned"}; with "duplicate": true if it was redacted before.',
  run(args, io) {
    const seq = parseInteger('<seq>', args.positionals.seq ?? '', 1);
    return withHub(args, io, 'reader', async (client) => {
      const session_id = await findSession(client, args.positionals.session ?? '');
      const answer = await client
        .call('redact', { session_id, seq, reason: args.values.reason })
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
function nothingToHide(thrown: unknown): CommandError | null {
  if (!(thrown instanceof WireError)) return null;
  if (thrown.code === 'not_found') {
    const about = 'It takes the grant operate, as the operator has it; "parley show <session>" numbers what was said.';
    return notFoundError(thrown.code, thrown.message, about);
  }
  if (thrown.code !== 'forbidden' || thrown.details?.field !== 'params.seq') return null;
  const hint = '"parley show <session>" numbers what was said: that can be hidden.';
  return new CommandError('refused', thrown.code, thrown.message, hint);
}
