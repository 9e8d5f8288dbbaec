/**
 * Server-sent events, read from bytes as they come: a cut may be anywhere, in a character, in a line, between a CR and
 * its LF. Only what models send is made of it: the name of an event and its data.
 */

export interface SseEvent {
  /** `message` unless the stream says otherwise. */
  readonly event: string;
  readonly data: string;
}

/** One event of a model is a few hundred bytes; the largest hold a whole answer. */
export const MAX_EVENT_CHARS: number = 16 * 1024 * 1024;

export class SseReader {
  private readonly decoder = new TextDecoder();
  private line = '';
  private endedWithCr = false;
  private event = '';
  private data: string[] = [];
  private chars = 0;

  /** The events these bytes complete. Throws RangeError when one is larger than any may be. */
  push(bytes: Uint8Array): SseEvent[] {
    const text = this.decoder.decode(bytes, { stream: true });
    const events: SseEvent[] = [];
    for (const piece of this.linesOf(text)) {
      const event = this.take(piece);
      if (event !== null) events.push(event);
    }
    return events;
  }

  /** The whole lines; what is left waits for the rest. */
  private linesOf(text: string): string[] {
    // A LF here belongs to the CR the text before ended with.
    const own = this.endedWithCr && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.endedWithCr = text.endsWith('\r');
    const [first = '', ...rest] = own.split(/\r\n|\r|\n/);
    this.count(own.length);
    const lines = [this.line + first, ...rest];
    this.line = lines.pop() ?? '';
    return lines;
  }

  /** A line: a field, a comment, or the blank one that ends an event. */
  private take(line: string): SseEvent | null {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.data.push(value);
    if (field === 'event') this.event = value;
    return null;
  }

  /** An event without data is none. */
  private dispatch(): SseEvent | null {
    const { data } = this;
    const event = this.event === '' ? 'message' : this.event;
    this.data = [];
    this.event = '';
    this.chars = 0;
    return data.length === 0 ? null : { event, data: data.join('\n') };
  }

  private count(chars: number): void {
    this.chars += chars;
    if (this.chars > MAX_EVENT_CHARS) throw new RangeError(`an event has more than ${MAX_EVENT_CHARS} characters`);
  }
}
