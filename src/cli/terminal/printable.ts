/** What others wrote, made fit for a terminal: it must not move the cursor, set the colours, or turn the order of what is read. */

/** All of C0 but tab and line feed, DEL, C1, and what overrides the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it takes out
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
/** Those of them that JSON leaves as they are. */
const UNESCAPED = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Lines stay lines, however they end, and tabs stay tabs. */
export function withoutControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(CONTROLS, '\ufffd');
}

export function printable(text: string): string {
  return withoutControls(text).replaceAll('\t', '    ');
}

/** In one row, whatever it holds. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}

/** Equal to what JSON.stringify gives, for who parses it. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    UNESCAPED,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
