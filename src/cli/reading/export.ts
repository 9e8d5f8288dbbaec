/** `parley export`. */

import { writeFile } from 'node:fs/promises';
import type { Envelope } from '../../core/records/session/envelope.ts';
import type { Command } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { type ExportFormat, exportText } from './export-formats.ts';
import { findSession } from '../connecting/find-session.ts';
import { looking } from '../../node/commands/reach.ts';
import { wrongValue } from '../terminal/command-error.ts';

const FORMATS: readonly ExportFormat[] = ['jsonl', 'md', 'html'];

export const exportSession: Command = {
  name: 'export',
  summary: 'Write a session to a file or to stdout.',
  args: [{ name: 'session', help: 'Its id, four or more digits of its beginning or end, or "last".' }],
  options: [
    { name: 'format', value: 'format', help: 'jsonl: every envelope (usual). md, html: to read.', values: FORMATS },
    { name: 'out', value: 'file', help: 'Where to; it must not be there yet. Without it, stdout.', values: 'file' },
    { name: 'as', value: 'name', help: 'Who asks; a token for one name knows it by itself.' },
  ],
  on: 'hub',
  examples: ['parley export last > session.jsonl', 'parley export 3f2a --format html --out session.html'],
  json: '{"session_id", "format", "envelopes", "bytes", "out", "text"}; text is null with --out.',
  run(asked, io) {
    const format = (asked.values.format ?? 'jsonl') as ExportFormat;
    const { out = null } = asked.values;
    return looking(asked, io, async (client) => {
      const session_id = await findSession(client, asked.args.session ?? '');
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
  throw wrongValue(
    '--out',
    'a file that is not there yet',
    String(thrown.path),
    'Give another name, or remove it first.',
  );
}
