/** A text without what changes when nothing does: the form of its letters, its numbers and its white space. */

/** As much of a text is looked at; texts that agree so far count as the same. */
const LONGEST = 16_384;

export function normalText(text: string): string {
  return text
    .slice(0, LONGEST)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Nd}+/gu, '0')
    .replace(/\s+/gu, ' ')
    .trim();
}
