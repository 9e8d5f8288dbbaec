/** Text of strangers as it is shown: what would be invisible, or would turn its surroundings around, is made visible. Pure. */

/** Of what is invisible, what writing needs and where: joiners, variants of Mongolian letters, how an emoji or a keycap is drawn. */
const NEEDED = [
  String.raw`[\n\t\u200c\u200d]`,
  String.raw`(?<=(?=\p{L})\p{Script=Mongolian})[\u180b-\u180d\u180f]`,
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f\u20e3`,
].join('|');

/** Controls, format characters, lone surrogates, separators of lines, and whatever is drawn as nothing or as a blank. */
const HIDDEN = new RegExp(String.raw`(?!${NEEDED})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]`, 'gu');

const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;

export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, pictured);
}

function pictured(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(CONTROL_PICTURES + code);
  if (code === DELETE) return '\u2421';
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** In one line, and no longer than that; the rest is told by an ellipsis. */
export function shortLine(text: string, most = 160): string {
  const line = visibleText(text.slice(0, 4 * most))
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= most && text.length <= 4 * most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** Longer than this nobody reads in passing, and a page must not grow with what somebody has sent. */
const MAX_LONG = 4000;

/** With its lines, for a place that grows with them, and with an end. */
export function longText(text: string): string {
  const shown = visibleText(text.slice(0, MAX_LONG));
  return text.length > MAX_LONG ? `${shown}… (${text.length} characters)` : shown;
}

const MAX_SHORT = 80;

/** A name or a few words on one line. */
export function shortText(text: string): string {
  return shortLine(text, MAX_SHORT);
}

/** JSON as people read it; what is not JSON is shown as its kind. */
export function jsonText(value: unknown): string {
  return visibleText(JSON.stringify(value, null, 2) ?? String(value));
}

/** Dollars with as many digits as say something. */
export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  return `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}
