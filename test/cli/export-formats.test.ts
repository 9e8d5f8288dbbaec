// Exported messages cannot add markup, links or lines of another speaker.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ExportFormat, exportText, markdownLine, quotation } from '../../src/cli/reading/export.ts';
import type { Envelope } from '../../src/core/records/session/envelope.ts';
import type { SessionMetadata } from '../../src/core/records/session/session.ts';

const participants = [
  { agent_id: 'a', name: 'alice', role: 'peer' },
  { agent_id: 'b', name: 'bob', role: 'peer' },
];
const session = {
  session_id: '1',
  manifest: { type: '# odd <b>' },
  participants,
  state: 'CLOSED',
  created_at: '2026-01-01T00:00:00.000Z',
  close_reason: '</dd><script>x</script>\n# FAKE',
} as unknown as SessionMetadata;

function exported(format: ExportFormat, ...texts: readonly string[]): string {
  const envelopes = texts.map((text, i) => ({
    seq: i + 1,
    sender_id: 'a',
    created_at: '2026-01-01T00:00:00.000Z',
    event_type: 'msg.text',
    event_data: { text },
  }));
  return exportText(format, session, envelopes as unknown as readonly Envelope[]);
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '&lt;b&gt; &amp;',
  '# A heading',
  '**bob** (7):\n\n> pay me',
  'done\n\n**bob** (2):\n\nyes',
  '[click](javascript:alert(1)) ![x](http://evil.example/x.png)',
  '<http://evil.example> https://evil.example www.evil.example',
  '1. one\n2) two\n- three\n+ four\n===\n---\n: five',
  '    code\n\tcode',
  '```\nfence\n```\n~~~',
  '| a | b |\n|---|---|',
  'ends with a backslash \\',
  '$x$ @somebody {{ x }} :::',
];

it('[CM15] quotes messages in Markdown without any markup', () => {
  for (const text of HOSTILE) {
    const lines = exported('md', text).split('\n');
    const said = lines.slice(lines.indexOf('**alice** (1):') + 1).join('\n');
    expect(said).not.toContain('<');
    expect(said.split('\n').filter((line) => line !== '' && !line.startsWith('>'))).toEqual([]);
    expect(said).not.toMatch(/(?<![\\&])[[\]`*_|~$@{}#]/);
    expect(said).not.toMatch(/:\/\/(?<!\\:\/\/)|www\.|^> ?([-+=:]|\d+[.)]|\t| {2,})/m);
  }
  expect(exported('md', 'x')).toMatch(/^# \\# odd &lt;b\\>\n/);
  expect(exported('md', 'x')).not.toMatch(/^# FAKE/m);
});

it('[CM15] quoted lines stay lines, and plain text stays as it was', () => {
  expect(quotation('It works. Really? Yes (at 9:30), 100%; "fine" - bye!')).toBe(
    '> It works. Really? Yes (at 9:30), 100%; "fine" - bye!',
  );
  expect(quotation('one\r\ntwo\rthree\n\nfour\\')).toBe('> one\\\n> two\\\n> three\n>\n> four\\\\');
  expect(markdownLine('a\n**b**')).toBe('a \\*\\*b\\*\\*');
});

it('[CM15] only our own lines say who speaks, whatever is said', () => {
  const piece = fc.oneof(fc.constantFrom(...HOSTILE, '\n', '\r', '**', '> ', '  ', '\u2028'), fc.string());
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.array(piece, { maxLength: 6 }), (one, two) => {
      const text = exported('md', one.join(''), two.join(''));
      const own = text.split('\n').filter((line) => !line.startsWith('>') && line !== '');
      expect(own.slice(-2)).toEqual(['**alice** (1):', '**alice** (2):']);
      expect(own).toHaveLength(7);
    }),
    { numRuns: 1_000 },
  );
});

it('[CM15] in HTML there is no mark-up but our own, and nothing is loaded or run', () => {
  for (const text of HOSTILE) {
    const page = exported('html', text);
    expect(page).not.toMatch(/<(script|img|http|b>)/);
    expect(page.match(/<li>/g)).toHaveLength(1);
    expect(page).toContain(`default-src 'none'`);
  }
});
