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
  summary: 'Export a session to a file or to stdout',
  args: [SESSION_ARGUMENT],
  options: [
    {
      name: 'format',
      value: 'format',
      help: 'jsonl with every envelope, or md or html to read (default: jsonl)',
      values: FORMATS,
    },
    { name: 'out', value: 'file', help: 'File to create; it must not exist (default: stdout)', values: 'file' },
    READER_OPTION,
  ],
  on: 'hub',
  examples: [
    ['Save all envelopes', 'parley export last > session.jsonl'],
    ['Write a page to read', 'parley export 3f2a --format html --out session.html'],
  ],
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
  const hint = 'Choose another name, or remove the file first.';
  throw invalidValueError('--out', 'a file that does not exist', String(thrown.path), hint);
}
