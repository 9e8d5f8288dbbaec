/** Prepares untrusted text for display: makes invisible and direction-changing characters visible. Pure. */

/** Invisible characters that writing needs: joiners, Mongolian variants, and emoji or keycap selectors. */
const NEEDED = [
  String.raw`[\n\t\u200c\u200d]`,
  String.raw`(?<=(?=\p{L})\p{Script=Mongolian})[\u180b-\u180d\u180f]`,
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f\u20e3`,
].join('|');

/** Controls, format characters, lone surrogates, line separators, and characters that render as nothing or a blank. */
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

/** One line of at most `most` characters, ending in an ellipsis if cut. */
export function shortLine(text: string, most = 160): string {
  const line = visibleText(text.slice(0, 4 * most))
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= most && text.length <= 4 * most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** Maximum length of a long text, so that the page does not grow with the length of a message. */
const MAX_LONG = 4000;

/** Keeps line breaks, and cuts long text. */
export function longText(text: string): string {
  const shown = visibleText(text.slice(0, MAX_LONG));
  return text.length > MAX_LONG ? `${shown}… (${text.length} characters)` : shown;
}

const MAX_SHORT = 80;

/** A name or a few words on one line. */
export function shortText(text: string): string {
  return shortLine(text, MAX_SHORT);
}

/** Indented JSON; a value outside JSON becomes a string. */
export function jsonText(value: unknown): string {
  return visibleText(JSON.stringify(value, null, 2) ?? String(value));
}

/** Dollars with two or four decimals. */
export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  return `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}
