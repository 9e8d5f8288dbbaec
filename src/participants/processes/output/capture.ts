/** Keeps the head and the tail of a stream, each up to half of the limit, and counts the bytes between. */

export class Capture {
  readonly #head: BoundedBytes;
  readonly #tailBytes: number;
  /** A ring of the latest bytes, created when the head is full. */
  #ring: Buffer | null = null;
  /** Bytes ever written to the ring. */
  #passed = 0;

  constructor(maxBytes: number) {
    this.#tailBytes = Math.floor(maxBytes / 2);
    this.#head = new BoundedBytes(maxBytes - this.#tailBytes);
  }

  get isTruncated(): boolean {
    return this.#passed > this.#tailBytes;
  }

  add(text: string): void {
    const rest = this.#head.add(text);
    if (rest !== '') this.#addToTail(rest);
  }

  text(): string {
    const tail = this.#tail();
    if (!this.isTruncated) return this.#head.text() + tail.toString('utf8');
    let from = 0;
    while (from < tail.length && isWithinCharacter(tail[from])) from += 1;
    const leftOut = this.#passed - (tail.length - from);
    return `${this.#head.text()}\n[… ${leftOut} bytes left out …]\n${tail.toString('utf8', from)}`;
  }

  #addToTail(text: string): void {
    const size = this.#tailBytes;
    this.#ring ??= Buffer.alloc(size);
    const length = Buffer.byteLength(text);
    const begin = size === 0 ? 0 : this.#passed % size;
    // Usually the text fits before the end of the ring and needs no copy.
    if (begin + length <= size) this.#ring.write(text, begin);
    else this.#wrap(this.#ring, Buffer.from(text));
    this.#passed += length;
  }

  #wrap(ring: Buffer, bytes: Buffer): void {
    // Only the end of an oversized text matters.
    const from = Math.max(0, bytes.length - ring.length);
    const begin = ring.length === 0 ? 0 : (this.#passed + from) % ring.length;
    const fits = bytes.copy(ring, begin, from);
    bytes.copy(ring, 0, from + fits);
  }

  #tail(): Buffer {
    if (this.#ring === null) return Buffer.alloc(0);
    if (!this.isTruncated) return this.#ring.subarray(0, this.#passed);
    const end = this.#tailBytes === 0 ? 0 : this.#passed % this.#tailBytes;
    return Buffer.concat([this.#ring.subarray(end), this.#ring.subarray(0, end)]);
  }
}

const FIRST_BYTES = 4 * 1024;

export class BoundedBytes {
  readonly #max: number;
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  /** True once some text did not fit; nothing more is added. */
  #isFull = false;

  constructor(max: number) {
    this.#max = max;
  }

  get isUntouched(): boolean {
    return this.#length === 0 && !this.#isFull;
  }

  /** Adds the whole characters that fit and returns the rest. */
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
    // Release the memory of a long line.
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

/** Index at which the UTF-8 character that covers `at` begins. */
function beginningOfCharacter(bytes: Buffer, at: number): number {
  let begin = at;
  while (begin > 0 && isWithinCharacter(bytes[begin])) begin -= 1;
  return begin;
}

function isWithinCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
