/** Text of strangers as it is shown: what would be invisible, or would turn its surroundings around, is made visible. Pure. */

/** Joiners are left alone: writing and emoji need them, and they move nothing. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

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

/** JSON as people read it; what is not JSON is shown as its kind. */
export function jsonText(value: unknown): string {
  return visibleText(JSON.stringify(value, null, 2) ?? String(value));
}
