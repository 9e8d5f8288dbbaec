/** All that is written to a socket in one turn of the event loop leaves in one write: half the cost of a frame is the write. */

interface Corkable {
  cork(): void;
  uncork(): void;
}

/** One for a server: its sockets are let go together, at the end of the turn. */
export class Corking {
  private readonly held = new Set<Corkable>();

  hold(socket: Corkable): void {
    if (this.held.has(socket)) return;
    if (this.held.size === 0) setImmediate(() => this.release());
    this.held.add(socket);
    socket.cork();
  }

  private release(): void {
    const sockets = [...this.held];
    this.held.clear();
    for (const socket of sockets) socket.uncork();
  }
}
