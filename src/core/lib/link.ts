/** A link carries frames, as text, both ways, in order, until it closes. */

export interface Link {
  /** Never throws; what is sent after the close is dropped. */
  send(text: string): void;
  onMessage(receive: (text: string) => void): void;
  /** Called once, also when it had closed before. */
  onClose(closed: () => void): void;
  /** What was sent before it still goes out. */
  close(): void;
  /** Bytes that were sent and have not left yet; absent = they leave at once. */
  readonly unsentBytes?: number;
  /** Calls each time all that was sent has left. */
  onDrain?(drained: () => void): void;
  /** Stops and goes on reading: a peer that does not read is not read from either. */
  pause?(): void;
  resume?(): void;
  /** Reads nothing for so long: who asks for what it does not get again and again is heard more seldom. */
  slow?(ms: number): void;
  /** Gives up what has not left, and closes. */
  destroy?(): void;
}

/** Two ends of one link inside the process: what one sends, the other receives in a later microtask. */
export function linkPair(): readonly [Link, Link] {
  const a = new QueueEnd();
  const b = new QueueEnd();
  a.peer = b;
  b.peer = a;
  return [a, b];
}

class QueueEnd implements Link {
  peer: QueueEnd | null = null;
  private receive: ((text: string) => void) | null = null;
  private readonly closers: (() => void)[] = [];
  private readonly incoming: string[] = [];
  private draining = false;
  private closed = false;

  send(text: string): void {
    if (!this.closed) this.peer?.accept(text);
  }

  onMessage(receive: (text: string) => void): void {
    this.receive = receive;
    this.drain();
  }

  onClose(closed: () => void): void {
    if (this.closed) void Promise.resolve().then(closed);
    else this.closers.push(closed);
  }

  close(): void {
    this.peer?.end();
    this.end();
  }

  private accept(text: string): void {
    if (this.closed) return;
    this.incoming.push(text);
    this.drain();
  }

  /** The other side hears what was sent before the close, then the close. */
  private end(): void {
    if (this.closed) return;
    this.closed = true;
    void Promise.resolve().then(() => {
      for (const closer of this.closers.splice(0)) closer();
    });
  }

  private drain(): void {
    if (this.draining || this.receive === null) return;
    this.draining = true;
    void Promise.resolve().then(() => {
      this.draining = false;
      try {
        for (let text = this.incoming.shift(); text !== undefined; text = this.incoming.shift()) this.receive?.(text);
      } finally {
        // A receiver that throws costs nobody the messages behind it.
        if (this.incoming.length > 0) this.drain();
      }
    });
  }
}
