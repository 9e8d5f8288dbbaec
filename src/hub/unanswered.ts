/** The ids of requests that are open on a connection. Two of them may have one id: it is open until both are answered. */

export class Unanswered {
  private readonly open = new Set<string>();
  /** How many there are beside the first. */
  private readonly more = new Map<string, number>();

  add(id: string): void {
    if (this.open.has(id)) this.more.set(id, (this.more.get(id) ?? 0) + 1);
    else this.open.add(id);
  }

  delete(id: string): void {
    const others = this.more.size === 0 ? 0 : (this.more.get(id) ?? 0);
    if (others === 0) this.open.delete(id);
    else if (others === 1) this.more.delete(id);
    else this.more.set(id, others - 1);
  }

  ids(): string[] {
    return [...this.open];
  }
}
