/** A watch that somebody rings: what rings while nobody waits is heard by the next who does. */

import type { Watch } from './participant.ts';

export class Bell implements Watch {
  private rung = false;
  private heard: (() => void) | null = null;
  private readonly onEnd: (bell: Bell) => void;

  constructor(onEnd: (bell: Bell) => void) {
    this.onEnd = onEnd;
  }

  ring(): void {
    this.rung = true;
    this.heard?.();
  }

  async next(signal: AbortSignal): Promise<void> {
    if (!this.rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.heard = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    this.heard = null;
    this.rung = false;
  }

  end(): void {
    this.onEnd(this);
  }
}
