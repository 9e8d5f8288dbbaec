/** `parley export`. */

import { writeFile } from 'node:fs/promises';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { withHub } from '../connecting/connect.ts';
import { findSession } from '../connecting/find-session.ts';
import { type Command, READER_OPTION, SESSION_ARGUMENT } from '../terminal/command.ts';
import { invalidValueError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { type ExportFormat, exportText } from './export-formats.ts';

const FORMATS: readonly ExportFormat[] = ['jsonl', 'md', 'html'];

export const exportSession: Command = {
  name: 'export',
  summary: 'Write a session to a file or to stdout.',
  args: [SESSION_ARGUMENT],
  options: [
    { name: 'format', value: 'format', help: 'jsonl: every envelope (usual). md, html: to read.', values: FORMATS },
    { name: 'out', value: 'file', help: 'Where to; it must not be there yet. Without it, stdout.', values: 'file' },
    READER_OPTION,
  ],
  on: 'hub',
  examples: ['parley export last > session.jsonl', 'parley export 3f2a --format html --out session.html'],
  json: '{"session_id", "format", "envelopes", "bytes", "out", "text"}; text is null with --out.',
  run(args, io) {
    const format = (args.values.format ?? 'jsonl') as ExportFormat;
    const { out = null } = args.values;
    return withHub(args, io, 'reader', async (client) => {
      const session_id = await findSession(client, args.positionals.session ?? '');
      const { session } = await client.call('get_session', { session_id });
      const envelopes: Envelope[] = [];
      for await (const envelope of client.session(session_id).log({ pageSize: 500 })) envelopes.push(envelope);
      const text = exportText(format, session, envelopes);
      const bytes = Buffer.byteLength(text);
      if (out !== null) await writeFile(out, text, { flag: 'wx', mode: 0o600 }).catch(cannotWrite);
      io.put({ session_id, format, envelopes: envelopes.length, bytes, out, text: out === null ? text : null });
      if (out === null) io.say(text.replace(/\n$/, ''));
      else io.say(`${out}: ${envelopes.length} envelopes, ${bytes} bytes`);
      return EXIT.done;
    });
  },
};

function cannotWrite(thrown: NodeJS.ErrnoException): never {
  if (thrown.code !== 'EEXIST') throw thrown;
  throw invalidValueError(
    '--out',
    'a file that is not there yet',
    String(thrown.path),
    'Give another name, or remove it first.',
  );
}
