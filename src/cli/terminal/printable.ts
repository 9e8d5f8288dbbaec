/** Makes foreign text safe for a terminal: it cannot move the cursor, set colours or reorder text. */

/** C0 except tab and line feed, DEL, C1, and characters that override text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression replaces these characters
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
/** The control characters that JSON.stringify leaves unescaped. */
const UNESCAPED = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Normalizes line ends; keeps lines and tabs. */
export function withoutControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(CONTROLS, '\ufffd');
}

export function printable(text: string): string {
  return withoutControls(text).replaceAll('\t', '    ');
}

/** Makes foreign text safe, and joins its lines to one. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}

/** Parses to the same value as JSON.stringify, but contains no control characters. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    UNESCAPED,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
