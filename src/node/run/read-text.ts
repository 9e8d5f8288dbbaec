/** Bytes of a stream become text: UTF-8 whole however it was split, what is no UTF-8 as U+FFFD, without terminal sequences. */

import { AnsiStripper } from '../../participants/processes/output/strip-ansi.ts';

export class TextReader {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #stripper = new AnsiStripper();

  read(bytes: Uint8Array): string {
    return this.#stripper.strip(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What an unfinished character at the very end stands for. */
  end(): string {
    return this.#stripper.strip(this.#decoder.decode());
  }
}
