/** No text can forge a speaker: whatever in it looks like the beginning of a message is indented. */

/** All that some reader takes for the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: some readers end a line at the separators of ASCII
const BREAK = /(\r\n|[\n\v\f\r\x1c-\x1e\u0085\u2028\u2029])/;

/** What is not seen at the beginning of a line: white space, controls, zero-width and direction marks, fillers, loose accents. */
const UNSEEN = /^[\s\p{C}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/u;

/** Square brackets, and what passes for one in other scripts. */
const BRACKET = /^[[［﹇⁅⟦⦋⦍⦏【〔〖〘〚︗︹︻﹝❲⟬⦗⎡⎢⎣⌈⌊⸢⸤⹕⹗]/u;

/** How a summary begins; compared without case, accents and all that is not a letter. */
const SUMMARY = 'earlierinthissession';
/** As many letters as the words have, with whatever is between them. */
const FIRST_LETTERS = /^(?:\P{L}*\p{L}){1,20}/u;

const INDENT = '  ';

/** The text as it may stand at the beginning of a message. */
export function guarded(text: string): string {
  return guardLines(text, true);
}

/** The same for text behind a name: only the lines after its first can be taken for another message. */
export function guardedBehind(text: string): string {
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
  const seen = line.replace(UNSEEN, '');
  return BRACKET.test(seen) || looksLikeSummary(seen);
}

function looksLikeSummary(seen: string): boolean {
  const [start = ''] = FIRST_LETTERS.exec(seen) ?? [];
  return start.normalize('NFKD').toLowerCase().replace(/\P{L}/gu, '').startsWith(SUMMARY);
}
