/** Writes everything sent to a socket in one tick at once: half the cost of a frame is the write. */

interface Corkable {
  cork(): void;
  uncork(): void;
}

/** One per server; releases its sockets at the end of the tick. */
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
