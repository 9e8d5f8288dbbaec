/** What is kept of a stream: its head and its tail, each up to half of the bound, and how much lay between. */

import { isWithinCharacter, KeptBytes } from '../../participants/processes/output/capture.ts';

export class Capture {
  readonly #head: KeptBytes;
  readonly #tailBytes: number;
  /** A ring: the newest bytes, wherever in it they end. Made when the head is full. */
  #ring: Buffer | null = null;
  /** All that ever went to the ring. */
  #passed = 0;

  constructor(maxBytes: number) {
    this.#tailBytes = Math.floor(maxBytes / 2);
    this.#head = new KeptBytes(maxBytes - this.#tailBytes);
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
    // Mostly it fits before the end of the ring, and no copy is made.
    if (begin + length <= size) this.#ring.write(text, begin);
    else this.#wrap(this.#ring, Buffer.from(text));
    this.#passed += length;
  }

  #wrap(ring: Buffer, bytes: Buffer): void {
    // Of more than the ring holds only the end matters.
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
