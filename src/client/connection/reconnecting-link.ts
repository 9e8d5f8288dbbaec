/** The way to the hub: one link after another. A link that is lost or silent is replaced after a pause, if that is wanted. */

import type { Link } from '../../core/lib/link.ts';
import type { Clock } from '../../core/ports/platform.ts';

/** How a client comes back by itself. */
export interface ReconnectOptions {
  readonly clock: Clock;
  /** From 0 to 1: spreads those who were cut off at once. */
  readonly random: () => number;
  /** The first pause, and the longest. */
  readonly minMs?: number | undefined;
  readonly maxMs?: number | undefined;
  /** So often the hub is asked what it knows of; one that says nothing for twice that time is taken to be gone. */
  readonly quietMs?: number | undefined;
}

export interface LinkEvents {
  received(text: string): void;
  /** A new link is there, in place of one that was lost. */
  replaced(): void;
  /** The link is gone; another will be there. */
  lost(): void;
  /** The link is gone for good. */
  ended(): void;
  /** Again and again: say something that is answered. */
  beat(): void;
}

const MIN_MS = 200;
const MAX_MS = 10_000;
const QUIET_MS = 20_000;
/** A link that held this long was a good one: the next pause is a short one again. */
const GOOD_MS = 5_000;

export class ReconnectingLink {
  private readonly open: () => Link;
  private readonly reconnect: ReconnectOptions | null;
  private readonly events: LinkEvents;
  private link: Link | null = null;
  private attempts = 0;
  private openedAt = 0;
  private heardAt = 0;
  private cancelTimer: () => void = () => {};
  private isClosed = false;

  constructor(open: () => Link, reconnect: ReconnectOptions | null, events: LinkEvents) {
    this.open = open;
    this.reconnect = reconnect;
    this.events = events;
    this.attach(open());
  }

  get comesBack(): boolean {
    return this.reconnect !== null;
  }

  send(text: string): void {
    this.link?.send(text);
  }

  /** Gives up the link there is, for another after a pause of at least `pauseMs`. */
  renew(pauseMs = 0): void {
    const { link } = this;
    if (link === null || this.isClosed) return;
    this.link = null;
    this.cancelTimer();
    cut(link);
    if (this.reconnect === null) this.end();
    else {
      this.events.lost();
      this.retry(this.reconnect, pauseMs);
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.cancelTimer();
    const { link } = this;
    this.link = null;
    link?.close();
  }

  private attach(link: Link): void {
    this.link = link;
    link.onMessage((text) => {
      if (this.link !== link) return;
      this.heardAt = this.now();
      this.events.received(text);
    });
    link.onClose(() => {
      if (this.link === link) this.renew();
    });
    this.openedAt = this.now();
    this.heardAt = this.now();
    this.listen();
  }

  /** Also a link that never closes may lead nowhere. */
  private listen(): void {
    const { reconnect } = this;
    if (reconnect === null) return;
    const { clock, quietMs = QUIET_MS } = reconnect;
    this.cancelTimer = clock.after(quietMs, () => {
      const silentMs = this.now() - this.heardAt;
      if (silentMs >= 2 * quietMs) return this.renew();
      this.events.beat();
      this.listen();
    });
  }

  private retry(reconnect: ReconnectOptions, pauseMs: number): void {
    const { clock, random, minMs = MIN_MS, maxMs = MAX_MS } = reconnect;
    if (this.now() - this.openedAt > GOOD_MS) this.attempts = 0;
    const most = Math.min(maxMs, minMs * 2 ** this.attempts);
    this.attempts += 1;
    // Half of it is chance: those who were cut off together do not come back together.
    this.cancelTimer = clock.after(Math.max(pauseMs, most / 2 + (most / 2) * random()), () => this.replace(reconnect));
  }

  private replace(reconnect: ReconnectOptions): void {
    if (this.isClosed) return;
    try {
      this.attach(this.open());
    } catch {
      // No link can be made now: the same as one that was lost at once.
      this.openedAt = this.now();
      return this.retry(reconnect, 0);
    }
    this.events.replaced();
  }

  private end(): void {
    this.isClosed = true;
    this.events.ended();
  }

  private now(): number {
    return this.reconnect?.clock.monotonic() ?? 0;
  }
}

function cut(link: Link): void {
  if (link.destroy === undefined) link.close();
  else link.destroy();
}
