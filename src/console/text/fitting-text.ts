/** Shortens text to a width counted in letters, for drawings and charts. Pure. */

import { visibleText } from './visible-text.ts';

/** `units`: the width in letters. */
export type FittingText = Readonly<{ text: string; isCut: boolean; units: number }>;

const WIDE =
  /[\p{Extended_Pictographic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]/u;
const NARROW_MARK = /\p{M}/u;
/** Further combining marks on a letter are dropped. */
const MAX_MARKS = 2;

export function fittingText(given: string, maxUnits: number): FittingText {
  // Avoids scanning megabytes of text for the few letters shown.
  const near = given.slice(0, maxUnits * 8);
  let isCut = near.length < given.length;
  let units = 0;
  let marks = 0;
  const kept: string[] = [];
  for (const character of visibleText(near.replace(/\s+/g, ' ').trim())) {
    marks = NARROW_MARK.test(character) ? marks + 1 : 0;
    if (marks > MAX_MARKS) continue;
    const width = widthOf(character);
    if (units + width > maxUnits) {
      isCut = true;
      break;
    }
    kept.push(character);
    units += width;
  }
  if (isCut) return { text: `${cutBack(kept, maxUnits - 1)}\u2026`, isCut, units: maxUnits };
  return { text: kept.join(''), isCut, units };
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
