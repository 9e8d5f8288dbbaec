/** Text that comes in pieces becomes lines; one that is too long is cut, and the rest of it is passed over. */

import { KeptBytes } from './kept-bytes.ts';

export class LineSplitter {
  readonly #line: KeptBytes;
  #hasCut = false;

  constructor(maxLineBytes: number) {
    this.#line = new KeptBytes(maxLineBytes);
  }

  /** Whether any line was cut. */
  get hasCut(): boolean {
    return this.#hasCut;
  }

  /** The lines that are whole with this piece, without their ends (`\n` or `\r\n`). */
  *split(piece: string): Generator<string> {
    let from = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      this.#keep(piece.slice(from, end));
      from = end + 1;
      yield this.#take();
    }
    if (from < piece.length) this.#keep(piece.slice(from));
  }

  /** A last line without an end is a line too. */
  *end(): Generator<string> {
    if (!this.#line.isEmpty) yield this.#take();
  }

  #keep(part: string): void {
    if (this.#line.add(part) !== '') this.#hasCut = true;
  }

  #take(): string {
    const line = this.#line.text();
    this.#line.clear();
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}
