/** Words for a place of bounded width. What would be invisible or turn the line round is shown as a mark instead. */

export interface ShownText {
  readonly text: string;
  readonly isCut: boolean;
  /** In widths of a letter. */
  readonly units: number;
}

// Controls, format characters (bidi, zero width, joiners), lone surrogates, private use, line and paragraph separators.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
const WIDE =
  /[\p{Extended_Pictographic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]/u;
const NARROW_MARK = /\p{M}/u;
/** More marks than this on one letter are a tower, not a word. */
const MAX_MARKS = 2;

export function shownText(given: string, maxUnits: number): ShownText {
  // A text of megabytes is not looked through for the few letters that are shown of it.
  const near = given.slice(0, maxUnits * 8);
  const characters = [...near.replace(/\s+/g, ' ').trim().replace(UNSEEN, '\u{fffd}')];
  let units = 0;
  let marks = 0;
  const kept: string[] = [];
  for (const character of characters) {
    marks = NARROW_MARK.test(character) ? marks + 1 : 0;
    if (marks > MAX_MARKS) continue;
    const width = widthOf(character);
    if (units + width > maxUnits) return { text: `${cutBack(kept, maxUnits - 1)}\u2026`, isCut: true, units: maxUnits };
    kept.push(character);
    units += width;
  }
  if (near.length < given.length) return { text: `${cutBack(kept, maxUnits - 1)}\u2026`, isCut: true, units: maxUnits };
  return { text: kept.join(''), isCut: false, units };
}

function cutBack(characters: readonly string[], maxUnits: number): string {
  const kept = [...characters];
  let units = kept.reduce((sum, one) => sum + widthOf(one), 0);
  while (units > maxUnits) units -= widthOf(kept.pop() ?? ' ');
  return kept.join('').trimEnd();
}

function widthOf(character: string): number {
  if (NARROW_MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Longer than this nobody reads in passing, and a page must not grow with what somebody has sent. */
const MAX_LONG = 4000;

/** Words with their lines, for a place that grows with them: the same marks for what would not be seen, and an end. */
export function longText(given: string): string {
  const near = given.slice(0, MAX_LONG);
  const shown = near.replace(UNSEEN, (character) =>
    character === '\n' || character === '\t' ? character : '\u{fffd}',
  );
  return near.length < given.length ? `${shown}\u2026 (${given.length} characters)` : shown;
}

const MAX_SHORT = 80;

/** A name or a few words on one line. */
export function shortText(given: string): string {
  return shownText(given, MAX_SHORT).text;
}
