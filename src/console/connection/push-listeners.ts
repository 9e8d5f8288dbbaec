/** What the hub pushes to who takes part, handed to the session that is open. */

import type { ForwardedDelta } from '../../core/protocol/frames/frame-codec.ts';

export interface Hearer {
  /** Something was said. */
  readonly heard: () => void;
  /** Something is being written. */
  readonly shown: (delta: ForwardedDelta) => void;
}

const hearers = new Map<string, Hearer>();

/** One for each session. Until the function it returns is called. */
export function hear(sessionId: string, hearer: Hearer): () => void {
  hearers.set(sessionId, hearer);
  return () => {
    if (hearers.get(sessionId) === hearer) hearers.delete(sessionId);
  };
}

export function hearerOf(sessionId: string): Hearer | undefined {
  return hearers.get(sessionId);
}
