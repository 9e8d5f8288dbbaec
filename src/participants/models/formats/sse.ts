/** Parses server-sent events from bytes split anywhere: in a character, a line, or between CR and LF. */

export interface SseEvent {
  /** Defaults to `message`. */
  readonly event: string;
  readonly data: string;
}

/** Most events are a few hundred bytes; the largest hold a whole answer. */
export const MAX_EVENT_CHARS: number = 16 * 1024 * 1024;

export class SseReader {
  private readonly decoder = new TextDecoder();
  private line = '';
  private endedWithCr = false;
  private event = '';
  private data: string[] = [];
  private chars = 0;

  /** Returns the events that these bytes complete. Throws RangeError if an event is too large. */
  push(bytes: Uint8Array): SseEvent[] {
    const text = this.decoder.decode(bytes, { stream: true });
    const events: SseEvent[] = [];
    for (const piece of this.linesOf(text)) {
      const event = this.take(piece);
      if (event !== null) events.push(event);
    }
    return events;
  }

  /** Returns complete lines and keeps the rest. */
  private linesOf(text: string): string[] {
    // A leading LF belongs to the CR that ended the previous text.
    const own = this.endedWithCr && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.endedWithCr = text.endsWith('\r');
    const [first = '', ...rest] = own.split(/\r\n|\r|\n/);
    this.count(own.length);
    const lines = [this.line + first, ...rest];
    this.line = lines.pop() ?? '';
    return lines;
  }

  private take(line: string): SseEvent | null {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.data.push(value);
    if (field === 'event') this.event = value;
    return null;
  }

  /** An event without data is dropped. */
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
