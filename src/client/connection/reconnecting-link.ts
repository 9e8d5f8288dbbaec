/** Maintains a link to the hub: replaces a lost or silent link after a pause, if reconnecting is enabled. */

import type { Link } from '../../core/lib/link.ts';
import type { Clock } from '../../core/ports/platform.ts';

export interface ReconnectOptions {
  readonly clock: Clock;
  /** Returns 0 to 1; spreads the reconnects of clients that lost their links together. */
  readonly random: () => number;
  /** The first and the longest pause before a new link is opened. */
  readonly minMs?: number | undefined;
  readonly maxMs?: number | undefined;
  /** Ping interval; a link that is silent for twice as long counts as lost. */
  readonly quietMs?: number | undefined;
}

export interface LinkEvents {
  received(text: string): void;
  /** A new link replaced a lost one. */
  replaced(): void;
  /** The link was lost; a new one will be opened. */
  lost(): void;
  /** The link was lost and will not be replaced. */
  ended(): void;
  /** Called regularly: send a frame that the hub answers. */
  beat(): void;
}

const MIN_MS = 200;
const MAX_MS = 10_000;
const QUIET_MS = 20_000;
/** After a link that lasted this long, pauses start at the minimum again. */
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

  /** Drops the link and opens another after at least `pauseMs`. */
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

  /** Schedules a check for silence, because a link may be dead without closing. */
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
    // Half of the pause is random, so that clients that lost their links together reconnect at different times.
    this.cancelTimer = clock.after(Math.max(pauseMs, most / 2 + (most / 2) * random()), () => this.replace(reconnect));
  }

  private replace(reconnect: ReconnectOptions): void {
    if (this.isClosed) return;
    try {
      this.attach(this.open());
    } catch {
      // Failing to open a link counts as losing it immediately.
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
