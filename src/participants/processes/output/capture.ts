/** The beginning of a text, up to a number of bytes: many small pieces cost no more than one large one. */

const FIRST_BYTES = 4 * 1024;

export class KeptBytes {
  readonly #max: number;
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  /** Once something did not fit, nothing does: what is kept is a beginning. */
  #isFull = false;

  constructor(max: number) {
    this.#max = max;
  }

  /** Nothing was added, not even something that did not fit. */
  get isUntouched(): boolean {
    return this.#length === 0 && !this.#isFull;
  }

  /** Keeps what fits, by whole characters; answers what does not. */
  add(text: string): string {
    if (this.#isFull) return text;
    const bytes = Buffer.byteLength(text);
    const room = this.#max - this.#length;
    if (bytes > room) return this.#fill(Buffer.from(text), room);
    this.#makeRoom(bytes);
    this.#length += this.#bytes.write(text, this.#length);
    return '';
  }

  text(): string {
    return this.#bytes.toString('utf8', 0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    this.#isFull = false;
    // A long line has passed: its memory is not kept for the short ones.
    if (this.#bytes.length > 16 * FIRST_BYTES) this.#bytes = Buffer.alloc(0);
  }

  #fill(bytes: Buffer, room: number): string {
    const end = beginningOfCharacter(bytes, room);
    this.#makeRoom(end);
    bytes.copy(this.#bytes, this.#length, 0, end);
    this.#length += end;
    this.#isFull = true;
    return bytes.toString('utf8', end);
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.min(this.#max, Math.max(needed, 2 * this.#bytes.length, FIRST_BYTES)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** The place, at or before `at`, where a character of UTF-8 begins. */
function beginningOfCharacter(bytes: Buffer, at: number): number {
  let begin = at;
  while (begin > 0 && isWithinCharacter(bytes[begin])) begin -= 1;
  return begin;
}

export function isWithinCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
