/** Rejoins a lost participant after growing pauses while the hub keeps running. */

import type { ConnectionEnd } from '../client/index.ts';
import { asError } from '../core/lib/errors.ts';
import type { Clock } from '../core/ports/platform.ts';

export interface Rejoinable {
  readonly closed: Promise<ConnectionEnd>;
  close(): Promise<void>;
}

interface AutoRejoinOptions<P extends Rejoinable> {
  readonly clock: Clock;
  join(): Promise<P>;
  /** Called after every join, including the first. */
  joined(participant: P): void;
  /** Called when the connection is lost; `retryInMs` is null if no retry follows. */
  lost(reason: string, retryInMs: number | null): void;
}

const PAUSES_MS = [1_000, 2_000, 5_000, 15_000, 60_000] as const;
const LONGEST_MS = 60_000;

/** Reasons of deliberate disconnects: rejoining after them could repeat forever. */
const MEANT: readonly string[] = ['replaced', 'unregistered', 'unauthorized'];

export class AutoRejoin<P extends Rejoinable> {
  private readonly keeping: AutoRejoinOptions<P>;
  private current: P | null;
  private rejoining: Promise<void> = Promise.resolve();
  private stopWait: () => void = () => {};
  private isClosing = false;

  private constructor(keeping: AutoRejoinOptions<P>, first: P) {
    this.keeping = keeping;
    this.current = first;
    this.watch(first);
  }

  /** Joins for the first time; the caller handles an error of this join. */
  static async begin<P extends Rejoinable>(keeping: AutoRejoinOptions<P>): Promise<AutoRejoin<P>> {
    const first = await keeping.join();
    keeping.joined(first);
    return new AutoRejoin(keeping, first);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.stopWait();
    await this.rejoining;
    await this.current?.close();
  }

  private watch(participant: P): void {
    void participant.closed.then((end) => {
      if (this.isClosing || isShutdown(end)) return;
      this.current = null;
      const reason = reasonOf(end);
      if (MEANT.includes(reason)) return this.keeping.lost(reason, null);
      this.again(reason, 0);
    });
  }

  private again(reason: string, tries: number): void {
    const pause = PAUSES_MS[tries] ?? LONGEST_MS;
    this.keeping.lost(reason, pause);
    this.stopWait = this.keeping.clock.after(pause, () => {
      this.rejoining = this.rejoin(tries);
    });
  }

  private async rejoin(tries: number): Promise<void> {
    try {
      const participant = await this.keeping.join();
      this.current = participant;
      if (this.isClosing) return;
      this.keeping.joined(participant);
      this.watch(participant);
    } catch (thrown) {
      if (!this.isClosing) this.again(asError(thrown).message, tries + 1);
    }
  }
}

function isShutdown(end: ConnectionEnd): boolean {
  return end.by === 'caller' || (end.by === 'hub' && end.reason === 'shutdown');
}

function reasonOf(end: ConnectionEnd): string {
  if (end.by === 'hub') return end.reason;
  return end.by === 'refusal' ? end.error.message : 'the connection was lost';
}
