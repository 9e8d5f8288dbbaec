/** `parley redact`: permanently removes the content of an envelope. */

import { WireError } from '../../core/lib/errors.ts';
import { withHub } from '../connecting/connect.ts';
import { findSession } from '../connecting/find-session.ts';
import { type Command, SESSION_ARGUMENT } from '../terminal/command.ts';
import { CommandError, notFoundError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { parseInteger } from '../terminal/parse-values.ts';

export const redact: Command = {
  name: 'redact',
  summary: "Permanently remove an envelope's content, such as a leaked key",
  details:
    'The envelope keeps its seq, sender and digest. Its bytes leave the disk once the session has ended and "parley archive --ended-before 0s" has run; without that option, archive skips sessions that ended in the last 30 days. Requires the operate grant.',
  args: [SESSION_ARGUMENT, { name: 'seq', help: 'Seq of the envelope, as in "parley show"' }],
  options: [{ name: 'reason', value: 'text', help: 'Reason, for the audit trail' }],
  on: 'hub',
  examples: [['Remove a leaked key from the latest session', 'parley redact last 7 --reason "an API key"']],
  json: '{"session_id", "seq", "envelope_id", "redacted", "pinned"}; with "duplicate": true if it was already redacted.',
  run(args, io) {
    const seq = parseInteger('<seq>', args.positionals.seq ?? '', 1);
    return withHub(args, io, 'reader', async (client) => {
      const session_id = await findSession(client, args.positionals.session ?? '');
      const answer = await client
        .call('redact', { session_id, seq, reason: args.values.reason })
        .catch((thrown: unknown) => {
          throw redactError(thrown) ?? thrown;
        });
      io.put(answer);
      io.say(`${session_id} ${seq} is redacted${answer.duplicate === true ? ' (it was already)' : ''}`);
      const bytes = answer.pinned
        ? 'on disk until the session has ended and "parley archive --ended-before 0s" has run, and in earlier backups'
        : 'on disk: its session type is not registered, so redact it again when it is';
      io.note(`nobody can read it any more; its bytes stay ${bytes}`);
      return EXIT.done;
    });
  },
};

/** Explains errors that are not about the token, although the hub answers `forbidden`; null for any other error. */
function redactError(thrown: unknown): CommandError | null {
  if (!(thrown instanceof WireError)) return null;
  if (thrown.code === 'not_found') {
    const hint = 'Redacting requires the grant operate; "parley show <session>" lists the seqs.';
    return notFoundError(thrown.code, thrown.message, hint);
  }
  if (thrown.code !== 'forbidden' || thrown.details?.field !== 'params.seq') return null;
  const hint = 'Only messages can be redacted; "parley show <session>" lists them.';
  return new CommandError('refused', thrown.code, thrown.message, hint);
}
