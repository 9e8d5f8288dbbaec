/** What the checker knows of deliveries: those on the present bindings, gaps, acks, and acks that survive a crash. */

export class AckBook {
  /** Acked in this life of the hub: never sent again. */
  private now = new Set<string>();
  /** The position at which each was first acked. */
  private readonly order = new Map<string, number>();
  /** Acked in any life: a crash may have kept it, so it may be skipped. */
  private readonly ever = new Set<string>();
  private written = new Set<string>();
  /** Written before the last sync. */
  private before = new Set<string>();
  private kept = new Set<string>();
  private sent = new Map<string, Set<number>>();
  private readonly gaps = new Map<string, number>();

  /** The number of acks so far, as a moment. */
  get moment(): number {
    return this.order.size;
  }

  isAcked(agentId: string, session: string, seq: number, by: number = this.moment): boolean {
    const name = nameOf(agentId, session, seq);
    return this.now.has(name) && (this.order.get(name) ?? 0) <= by;
  }

  wasEverAcked(agentId: string, session: string, seq: number): boolean {
    return this.ever.has(nameOf(agentId, session, seq));
  }

  ack(agentId: string, session: string, seq: number): void {
    const name = nameOf(agentId, session, seq);
    this.claim(agentId, session, seq);
    this.now.add(name);
    if (!this.order.has(name)) this.order.set(name, this.order.size + 1);
  }

  /** A client claims it in a hello: the hub may skip it, unless a newer hello came first. */
  claim(agentId: string, session: string, seq: number): void {
    this.ever.add(nameOf(agentId, session, seq));
  }

  /** The hub has the ack. Links keep order, so the client has received every earlier gap too. */
  settle(agentId: string, session: string, seq: number): void {
    this.ack(agentId, session, seq);
    for (const [name, gap] of this.gaps) {
      if (name.startsWith(`${agentId} ${session} `) && gap < seq) this.ack(agentId, session, gap);
    }
  }

  /** Seqs of the session sent on the agent's present binding. */
  sentTo(agentId: string, session: string): Set<number> {
    const name = `${agentId} ${session}`;
    const sent = this.sent.get(name) ?? new Set<number>();
    this.sent.set(name, sent);
    return sent;
  }

  tellGap(agentId: string, session: string, seq: number, reason: string): void {
    const sent = this.sentTo(agentId, session);
    // Nacked and expired before it was redelivered: it counts as acked.
    if (sent.has(seq) && reason === 'expired') this.ack(agentId, session, seq);
    sent.add(seq);
    this.gaps.set(nameOf(agentId, session, seq), seq);
  }

  rebind(agentId: string): void {
    for (const name of this.sent.keys()) if (name.startsWith(agentId)) this.sent.delete(name);
    for (const name of this.gaps.keys()) if (name.startsWith(agentId)) this.gaps.delete(name);
  }

  /** The hub wrote its cursors; they survive a crash once the disk has synced. */
  cursorsWritten(): void {
    this.written = new Set(this.now);
  }

  /** `late`: cursors beyond a full segment wait for the next sync. */
  synced(late: boolean): void {
    this.kept = new Set(late ? this.before : this.written);
    this.before = this.written;
  }

  crashed(): void {
    this.now = new Set(this.kept);
    this.written = new Set(this.kept);
    this.before = this.written;
    this.sent = new Map();
  }

  /** A clean stop keeps every ack. */
  stopped(): void {
    this.kept = new Set(this.now);
    this.written = new Set(this.now);
    this.before = this.written;
    this.sent = new Map();
  }
}

function nameOf(agentId: string, session: string, seq: number): string {
  return `${agentId} ${session} ${seq}`;
}
