/** What the hub pushes to who takes part, handed to the session that is open. */

import type { ForwardedDelta } from '../../core/protocol/frames/frames.ts';

export interface PushListener {
  /** Something was said. */
  readonly heard: () => void;
  /** Something is being written. */
  readonly shown: (delta: ForwardedDelta) => void;
}

const hearers = new Map<string, PushListener>();

/** One for each session. Until the function it returns is called. */
export function onPush(sessionId: string, hearer: PushListener): () => void {
  hearers.set(sessionId, hearer);
  return () => {
    if (hearers.get(sessionId) === hearer) hearers.delete(sessionId);
  };
}

export function pushListenerOf(sessionId: string): PushListener | undefined {
  return hearers.get(sessionId);
}
