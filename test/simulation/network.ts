/** Links whose messages move only on request, in order, and are lost when a link is cut. */

import type { Link } from 'parley-hub/core';

type Direction = 'toHub' | 'toClient';

export class Wire {
  readonly hubEnd: Link;
  readonly clientEnd: Link;
  open = true;
  private readonly queues: Record<Direction, string[]> = { toHub: [], toClient: [] };
  private readonly receivers: Record<Direction, (text: string) => void> = { toHub: () => {}, toClient: () => {} };
  private readonly closers: Record<Direction, () => void> = { toHub: () => {}, toClient: () => {} };

  constructor() {
    this.hubEnd = this.end('toClient', 'toHub');
    this.clientEnd = this.end('toHub', 'toClient');
  }

  waiting(): number {
    return this.queues.toHub.length + this.queues.toClient.length;
  }

  /** Moves up to `most` messages each way. True = something moved. */
  move(most: number): boolean {
    return this.moveOne('toHub', most) || this.moveOne('toClient', most);
  }

  /** Messages in flight are lost, and both ends notice. */
  cut(): void {
    if (!this.open) return;
    this.open = false;
    this.queues.toHub.length = 0;
    this.queues.toClient.length = 0;
    this.closers.toHub();
    this.closers.toClient();
  }

  /** The hub has died: only the client notices. */
  hubDied(): void {
    this.open = false;
    this.queues.toHub.length = 0;
    this.queues.toClient.length = 0;
    this.closers.toClient();
  }

  /** For mutants: reorders what goes to the client. */
  reorder(shuffle: (queue: string[]) => void): void {
    shuffle(this.queues.toClient);
  }

  private moveOne(direction: Direction, most: number): boolean {
    const texts = this.queues[direction].splice(0, most);
    for (const text of texts) if (this.open) this.receivers[direction](text);
    return texts.length > 0;
  }

  private end(out: Direction, incoming: Direction): Link {
    return {
      send: (text) => {
        if (this.open) this.queues[out].push(text);
      },
      onMessage: (receive) => {
        this.receivers[incoming] = receive;
      },
      onClose: (closed) => {
        this.closers[incoming] = closed;
      },
      // A close lets earlier messages arrive.
      close: () => {
        while (this.queues[out].length > 0) this.moveOne(out, 1);
        this.cut();
      },
    };
  }
}
