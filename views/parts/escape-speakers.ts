/** Prevents texts from imitating a speaker: any line that looks like the start of a message is indented. */

/** All characters that some software treats as a line break. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: some software breaks lines at the ASCII separators
const BREAK = /(\r\n|[\n\v\f\r\x1c-\x1e\u0085\u2028\u2029])/;

/** Invisible characters that count as letters: fillers and blanks. */
const BLANK_LETTERS = '\\u115f\\u1160\\u3164\\uffa0\\u{13441}\\u{13442}';

/** Square brackets and their look-alikes in other scripts. */
const BRACKETS = '\\[［﹇⁅⟦⦋⦍⦏【〔〖〘〚︗︹︻﹝❲⟬⦗⎡⎢⎣⌈⌊⸢⸤⹕⹗';

/** A bracket at the start of a line, after characters that may be invisible: anything but letters, digits and ASCII signs.
 * White space, marks and controls are invisible; for other symbols it depends on the font. */
const LABEL = new RegExp(`^(?:[${BLANK_LETTERS}]|[^\\p{L}\\p{N}!-~${BRACKETS}])*[${BRACKETS}]`, 'u');

/** Invisible characters before a summary. */
const UNSEEN = new RegExp(`^[\\s\\p{C}\\p{M}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800${BLANK_LETTERS}]+`, 'u');

/** The start of a summary, compared without case, accents and non-letters. */
const SUMMARY = 'earlierinthissession';
/** Matches as many letters as SUMMARY has, with any other characters between them. */
const FIRST_LETTERS = /^(?:\P{L}*\p{L}){1,20}/u;

const INDENT = '  ';

/** Escapes a text at the start of a message. */
export function escapeSpeakers(text: string): string {
  return guardLines(text, true);
}

/** Escapes a text after a name: its first line cannot imitate a speaker. */
export function escapeSpeakersAfterName(text: string): string {
  return guardLines(text, false);
}

function guardLines(text: string, fromFirst: boolean): string {
  // Every second part is a line break.
  return text
    .split(BREAK)
    .map((part, i) => (i % 2 === 0 && (i > 0 || fromFirst) && looksLikeMessage(part) ? INDENT + part : part))
    .join('');
}

function looksLikeMessage(line: string): boolean {
  return LABEL.test(line) || looksLikeSummary(line.replace(UNSEEN, ''));
}

function looksLikeSummary(seen: string): boolean {
  const [start = ''] = FIRST_LETTERS.exec(seen) ?? [];
  return start.normalize('NFKD').toLowerCase().replace(/\P{L}/gu, '').startsWith(SUMMARY);
}
