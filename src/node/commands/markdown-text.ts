/** What somebody said, in Markdown, as plain text: no mark-up, no HTML, no link, and no line that could pass for another speaker's. */

import { withoutControls } from '../../cli/terminal/printable.ts';

/** What means something wherever it stands. */
const MARKS = /[\\`*_{}[\]<>|~&@$#^]/g;
/** What means something at the beginning of a line: lists, headings, rules, definitions. */
const STARTS = /^([-+=:]|\d+[.)])/;
/** What some viewers make links of by themselves. */
const BARE_LINKS = /\b(\w+)(:\/\/)|\b(www)\./gi;

/** In quotation marks of its own on every line; lines stay lines. */
export function quotation(text: string): string {
  const lines = linesOf(text);
  return lines
    .map((line, i) => {
      const isBroken = line !== '' && (lines[i + 1] ?? '') !== '';
      return `> ${inert(line)}${isBroken ? '\\' : ''}`.trimEnd();
    })
    .join('\n');
}

/** In one line, within a line of our own. */
export function markdownLine(text: string): string {
  return inert(linesOf(text).join(' '));
}

function linesOf(text: string): readonly string[] {
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
  // Spaces would make it code; as a character they are only shown.
  return indent.replaceAll(' ', '&#32;').replaceAll('\t', '&#9;') + plain;
}
