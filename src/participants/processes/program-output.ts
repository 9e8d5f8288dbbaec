/** Decodes the output of a program, removes terminal sequences, bounds it, and splits it into lines for listeners. */

import { Capture } from './output/capture.ts';
import { LineSplitter } from './output/split-lines.ts';
import { AnsiStripper } from './output/strip-ansi.ts';
import type { RunLimits, RunListener } from './program.ts';

export class Output {
  readonly #limits: RunLimits;
  readonly #watch: RunListener;
  readonly #stdout: { readonly reader: TextReader; readonly capture: Capture };
  readonly #stderr: { readonly reader: TextReader; readonly capture: Capture };
  readonly #lines: LineSplitter;
  #bytes = 0;
  #hasResult = false;

  constructor(limits: RunLimits, watch: RunListener) {
    this.#limits = limits;
    this.#watch = watch;
    this.#stdout = { reader: new TextReader(), capture: new Capture(limits.maxCapturedBytes) };
    this.#stderr = { reader: new TextReader(), capture: new Capture(limits.maxCapturedBytes) };
    this.#lines = new LineSplitter(limits.maxLineBytes);
  }

  get hasResult(): boolean {
    return this.#hasResult;
  }

  get isTooMuch(): boolean {
    const { maxOutputBytes } = this.#limits;
    return maxOutputBytes !== null && this.#bytes > maxOutputBytes;
  }

  get stdout(): string {
    return this.#stdout.capture.text();
  }

  get stderr(): string {
    return this.#stderr.capture.text();
  }

  get hasCutLine(): boolean {
    return this.#lines.hasCut;
  }

  get isTruncated(): boolean {
    return this.isTooMuch || this.hasCutLine || this.#stdout.capture.isTruncated || this.#stderr.capture.isTruncated;
  }

  /** Rethrows errors of listeners. */
  readStdout(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    const text = this.#stdout.reader.read(bytes);
    this.#stdout.capture.add(text);
    this.#show(text, this.#lines.split(text));
  }

  readStderr(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#stderr.capture.add(this.#stderr.reader.read(bytes));
  }

  /** Flushes incomplete characters and lines. */
  end(): void {
    this.#stderr.capture.add(this.#stderr.reader.end());
    const text = this.#stdout.reader.end();
    this.#stdout.capture.add(text);
    this.#show(text, this.#lines.split(text));
    this.#show('', this.#lines.end());
  }

  #show(text: string, lines: Iterable<string>): void {
    if (text !== '') this.#watch.onText?.(text);
    // Iterate even without a listener: that splits the lines.
    for (const line of lines) this.#watch.onLine?.(line);
    if (this.#watch.isDone?.() === true) this.#hasResult = true;
  }
}

export class TextReader {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #stripper = new AnsiStripper();

  read(bytes: Uint8Array): string {
    return this.#stripper.strip(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Ends the text, replacing an incomplete character. */
  end(): string {
    return this.#stripper.strip(this.#decoder.decode());
  }
}
