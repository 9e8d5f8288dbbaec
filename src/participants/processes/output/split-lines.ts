/** Splits chunks of text into lines; truncates lines that are too long. */

import { BoundedBytes } from './capture.ts';

/** Maximum UTF-8 bytes per UTF-16 unit. */
const MAX_BYTES_OF_A_UNIT = 3;

export class LineSplitter {
  readonly #maxBytes: number;
  readonly #line: BoundedBytes;
  #hasCut = false;

  constructor(maxLineBytes: number) {
    this.#maxBytes = maxLineBytes;
    this.#line = new BoundedBytes(maxLineBytes);
  }

  get hasCut(): boolean {
    return this.#hasCut;
  }

  /** The lines this chunk completes, without `\n` or `\r\n`. */
  *split(piece: string): Generator<string> {
    let from = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      const part = piece.slice(from, end);
      from = end + 1;
      yield this.#whole(part);
    }
    if (from < piece.length) this.#keep(piece.slice(from));
  }

  /** Yields the last line if it has no line break. */
  *end(): Generator<string> {
    if (!this.#line.isUntouched) yield this.#take();
  }

  /** Fast path: a short line in one chunk is not copied. */
  #whole(part: string): string {
    if (this.#line.isUntouched && part.length * MAX_BYTES_OF_A_UNIT <= this.#maxBytes) return withoutReturn(part);
    this.#keep(part);
    return this.#take();
  }

  #keep(part: string): void {
    if (this.#line.add(part) !== '') this.#hasCut = true;
  }

  #take(): string {
    const line = this.#line.text();
    this.#line.clear();
    return withoutReturn(line);
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
