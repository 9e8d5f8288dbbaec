/** A link carries text frames both ways, in order, until it closes. */

export interface Link {
  /** Never throws; drops frames sent after the close. */
  send(text: string): void;
  onMessage(receive: (text: string) => void): void;
  /** Calls back once, even if the link has already closed. */
  onClose(closed: () => void): void;
  /** Frames sent before the close are still delivered. */
  close(): void;
  /** Bytes sent but not yet drained; absent if the link sends frames immediately. */
  readonly unsentBytes?: number;
  /** Calls back each time all sent bytes have drained. */
  onDrain?(drained: () => void): void;
  /** `pause` and `resume` stop and restart reading from a peer that does not read its own frames. */
  pause?(): void;
  resume?(): void;
  /** Pauses reading for `ms`, to slow down a peer that repeats failing requests. */
  slow?(ms: number): void;
  /** Drops unsent frames and closes. */
  destroy?(): void;
}

/** Two ends of an in-process link: frames arrive in a later microtask. */
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

  /** Calls the closers in a later microtask, after the peer has received the frames sent before the close. */
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
        // If the receiver throws, deliver the remaining frames later.
        if (this.incoming.length > 0) this.drain();
      }
    });
  }
}
