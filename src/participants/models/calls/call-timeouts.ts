/** Ends one attempt when the caller aborts, or when the total or the idle timeout runs out. */

import type { CancelSignal, Clock, OwnSignal } from '../../../core/ports/platform.ts';

type EndedBy = 'caller' | 'wall' | 'idle';

interface CallTimeoutOptions {
  readonly clock: Clock;
  readonly wallMs: number;
  readonly idleMs: number;
  readonly signal?: CancelSignal | undefined;
}

export class CallTimeouts {
  endedBy: EndedBy | null = null;
  private readonly abort = new AbortController();
  private readonly options: CallTimeoutOptions;
  private stopWall: () => void = () => {};
  private stopIdle: () => void = () => {};
  private readonly onCaller = (): void => this.end('caller');

  constructor(options: CallTimeoutOptions) {
    this.options = options;
    const { clock, wallMs, signal } = options;
    signal?.addEventListener('abort', this.onCaller, { once: true });
    this.stopWall = clock.after(wallMs, () => this.end('wall'));
    this.touch();
    if (signal?.aborted) this.end('caller');
  }

  /** Aborted when the attempt is over, which frees the connection. */
  get signal(): OwnSignal {
    return this.abort.signal;
  }

  /** Restarts the idle timeout, shortened to `mostMs` if that is less. */
  touch(mostMs: number = Number.POSITIVE_INFINITY): void {
    this.stopIdle();
    if (this.abort.signal.aborted) return;
    this.stopIdle = this.options.clock.after(Math.min(mostMs, this.options.idleMs), () => this.end('idle'));
  }

  /** Rejects when the attempt is over, even if `waited` ignores the abort. */
  until<T>(waited: Promise<T>): Promise<T> {
    const { signal } = this.abort;
    return new Promise<T>((resolve, reject) => {
      const stop = (): void => reject(new Error('the watch has ended'));
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      const settled = (): void => signal.removeEventListener('abort', stop);
      waited.then(resolve, reject).finally(settled);
    });
  }

  close(): void {
    this.stopWall();
    this.stopIdle();
    this.options.signal?.removeEventListener('abort', this.onCaller);
    this.abort.abort();
  }

  private end(by: EndedBy): void {
    this.endedBy ??= by;
    this.close();
  }
}
