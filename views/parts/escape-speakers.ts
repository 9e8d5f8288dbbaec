/** No text can forge a speaker: whatever in it looks like the beginning of a message is indented. */

/** All that some reader takes for the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: some readers end a line at the separators of ASCII
const BREAK = /(\r\n|[\n\v\f\r\x1c-\x1e\u0085\u2028\u2029])/;

/** Letters, by their category, that nobody sees: fillers and blanks. */
const BLANK_LETTERS = '\\u115f\\u1160\\u3164\\uffa0\\u{13441}\\u{13442}';

/** Square brackets, and what passes for one in other scripts. */
const BRACKETS = '\\[［﹇⁅⟦⦋⦍⦏【〔〖〘〚︗︹︻﹝❲⟬⦗⎡⎢⎣⌈⌊⸢⸤⹕⹗';

/**
 * A bracket before anything that is surely seen: a letter, a digit, or a sign of ASCII such as the dash of a list. Which of all
 * other characters a font shows nobody can say: white space, marks and controls it does not, of symbols some.
 */
const LABEL = new RegExp(`^(?:[${BLANK_LETTERS}]|[^\\p{L}\\p{N}!-~${BRACKETS}])*[${BRACKETS}]`, 'u');

/** What is not seen before a summary. */
const UNSEEN = new RegExp(`^[\\s\\p{C}\\p{M}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800${BLANK_LETTERS}]+`, 'u');

/** How a summary begins; compared without case, accents and all that is not a letter. */
const SUMMARY = 'earlierinthissession';
/** As many letters as the words have, with whatever is between them. */
const FIRST_LETTERS = /^(?:\P{L}*\p{L}){1,20}/u;

const INDENT = '  ';

/** The text as it may stand at the beginning of a message. */
export function escapeSpeakers(text: string): string {
  return guardLines(text, true);
}

/** The same for text behind a name: only the lines after its first can be taken for another message. */
export function escapeSpeakersAfterName(text: string): string {
  return guardLines(text, false);
}

function guardLines(text: string, fromFirst: boolean): string {
  // Every second part is what ended a line.
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
