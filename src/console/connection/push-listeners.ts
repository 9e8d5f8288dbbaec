/** Gives the open session the envelopes and deltas that the hub pushes to this participant. */

import type { ForwardedDelta } from '../../core/protocol/frames/frames.ts';

export interface PushListener {
  readonly onEnvelope: () => void;
  readonly onDelta: (delta: ForwardedDelta) => void;
}

const listeners = new Map<string, PushListener>();

/** Sets the only listener of a session; returns the function that removes it. */
export function onPush(sessionId: string, listener: PushListener): () => void {
  listeners.set(sessionId, listener);
  return () => {
    if (listeners.get(sessionId) === listener) listeners.delete(sessionId);
  };
}

export function pushListenerOf(sessionId: string): PushListener | undefined {
  return listeners.get(sessionId);
}
