/** `parley export`: exports a session to a file or to stdout. */

import { writeFile } from 'node:fs/promises';
import { type Envelope, isContent } from '../../core/records/session/envelope.ts';
import { nameOf, type SessionMetadata } from '../../core/records/session/session.ts';
import { withHub } from '../connecting/connect.ts';
import { findSession } from '../connecting/find-session.ts';
import { type Command, READER_OPTION, SESSION_ARGUMENT } from '../terminal/command.ts';
import { invalidValueError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { printableJson, withoutControls } from '../terminal/printable.ts';
import { describeEvent } from '../transcript/transcript.ts';

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

export type ExportFormat = 'jsonl' | 'md' | 'html';

export function exportText(format: ExportFormat, session: SessionMetadata, envelopes: readonly Envelope[]): string {
  switch (format) {
    case 'jsonl':
      return envelopes.map((envelope) => `${printableJson(envelope)}\n`).join('');
    case 'md':
      return markdown(session, envelopes);
    case 'html':
      return page(session, envelopes);
  }
}

interface Line {
  readonly seq: number;
  readonly at: string;
  readonly who: string;
  readonly text: string;
  readonly isSaid: boolean;
}

function linesOf(session: SessionMetadata, envelopes: readonly Envelope[]): readonly Line[] {
  const name = (id: unknown): string => nameOf(session, String(id));
  return envelopes.map((envelope) => ({
    seq: envelope.seq,
    at: envelope.created_at,
    who: name(envelope.sender_id),
    text: describeEvent(envelope, name),
    isSaid: isContent(envelope.event_type),
  }));
}

function factsOf({
  session_id,
  participants,
  state,
  created_at,
  close_reason,
}: SessionMetadata): readonly [string, string][] {
  return [
    ['session', session_id],
    ['with', participants.map(({ name, role }) => `${name} (${role})`).join(', ')],
    ['created', created_at],
    ['state', close_reason === null ? state : `${state}: ${close_reason}`],
  ];
}

function markdown(session: SessionMetadata, envelopes: readonly Envelope[]): string {
  const facts = factsOf(session).map(([key, value]) => `- ${key}: ${markdownLine(value)}`);
  const lines = linesOf(session, envelopes).map(({ seq, who, text, isSaid }) =>
    isSaid ? `**${markdownLine(who)}** (${seq}):\n\n${quotation(text)}` : `*${seq} ${markdownLine(text)}*`,
  );
  return `# ${markdownLine(session.manifest.type)}\n\n${facts.join('\n')}\n\n${lines.join('\n\n')}\n`;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem}dt{color:#666}dd{margin:0}
ol{list-style:none;padding:0}li{margin:.75rem 0}.hub{color:#666;font-size:.9rem}.who{font-weight:600}.seq{color:#666;font-size:.8rem}
p{margin:.2rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181c}dt,.hub,.seq{color:#9aa0a6}}`;

function page(session: SessionMetadata, envelopes: readonly Envelope[]): string {
  const facts = factsOf(session).map(([key, value]) => `<dt>${asHtml(key)}</dt><dd>${asHtml(value)}</dd>`);
  const lines = linesOf(session, envelopes).map(({ seq, at, who, text, isSaid }) => {
    const mark = `<span class="seq"><time datetime="${at}">${seq}</time></span>`;
    if (!isSaid) return `<li class="hub">${mark} ${asHtml(text)}</li>`;
    return `<li><span class="who">${asHtml(who)}</span> ${mark}<p>${asHtml(text)}</p></li>`;
  });
  const title = asHtml(`${session.manifest.type} ${session.session_id}`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${title}</title><style>${STYLE}</style></head>
<body>
<h1>${asHtml(session.manifest.type)}</h1>
<dl>${facts.join('')}</dl>
<ol>
${lines.join('\n')}
</ol>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function asHtml(text: string): string {
  return withoutControls(text).replaceAll(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
}

/** Characters with a meaning anywhere in Markdown. */
const MARKS = /[\\`*_{}[\]<>|~&@$#^]/g;
/** Marks with a meaning at the beginning of a line: lists, headings, rules, definitions. */
const STARTS = /^([-+=:]|\d+[.)])/;
/** Text that some viewers turn into links. */
const BARE_LINKS = /\b(\w+)(:\/\/)|\b(www)\./gi;

/** Quotes every line, and keeps line breaks. */
export function quotation(text: string): string {
  const lines = splitLines(text);
  return lines
    .map((line, i) => {
      const isBroken = line !== '' && (lines[i + 1] ?? '') !== '';
      return `> ${inert(line)}${isBroken ? '\\' : ''}`.trimEnd();
    })
    .join('\n');
}

/** Escapes a text for use within a line of Markdown. */
export function markdownLine(text: string): string {
  return inert(splitLines(text).join(' '));
}

function splitLines(text: string): readonly string[] {
  return withoutControls(text.replaceAll(/\r\n?/g, '\n')).split('\n');
}

function inert(line: string): string {
  const [, indent = '', rest = ''] = /^([ \t]*)(.*)$/s.exec(line) ?? [];
  const plain = rest
    .replaceAll(MARKS, (mark) => (mark === '&' ? '&amp;' : mark === '<' ? '&lt;' : `\\${mark}`))
    .replace(STARTS, (start) => `${start.slice(0, -1)}\\${start.slice(-1)}`)
    .replaceAll(BARE_LINKS, (_, scheme?: string, slashes?: string, www?: string) =>
      www === undefined ? `${scheme}\\${slashes}` : `${www}\\.`,
    );
  // Leading spaces would make the line a code block; as entities they are only displayed.
  return indent.replaceAll(' ', '&#32;').replaceAll('\t', '&#9;') + plain;
}
