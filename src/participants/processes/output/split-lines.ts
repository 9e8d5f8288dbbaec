/** Text that comes in pieces becomes lines; one that is too long is cut, and the rest of it is passed over. */

import { BoundedBytes } from './capture.ts';

/** Of UTF-16, in UTF-8. */
const MAX_BYTES_OF_A_UNIT = 3;

export class LineSplitter {
  readonly #maxBytes: number;
  readonly #line: BoundedBytes;
  #hasCut = false;

  constructor(maxLineBytes: number) {
    this.#maxBytes = maxLineBytes;
    this.#line = new BoundedBytes(maxLineBytes);
  }

  /** Whether any line was cut. */
  get hasCut(): boolean {
    return this.#hasCut;
  }

  /** The lines that are whole with this piece, without their ends (`\n` or `\r\n`). */
  *split(piece: string): Generator<string> {
    let from = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      const part = piece.slice(from, end);
      from = end + 1;
      yield this.#whole(part);
    }
    if (from < piece.length) this.#keep(piece.slice(from));
  }

  /** A last line without an end is a line too. */
  *end(): Generator<string> {
    if (!this.#line.isUntouched) yield this.#take();
  }

  /** A line that came in one piece, and is surely short enough, goes through as it is. */
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
