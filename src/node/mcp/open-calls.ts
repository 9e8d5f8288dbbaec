/** How many calls each agent has open: those that wait cost a socket or a look every few seconds, so that one has only so many. */

import { WireError } from '../../core/lib/errors.ts';

/** As many as on a connection. */
const MOST_OPEN = 64;

export class OpenCalls {
  private readonly open = new Map<string, number>();

  /** Refuses what is too many. Gives back what ends them, and may be called again. */
  take(agentId: string, calls: number): () => void {
    const open = this.open.get(agentId) ?? 0;
    if (open + calls > MOST_OPEN) {
      const message = `/mcp: at most ${MOST_OPEN} calls may be open for one agent, those of a batch included`;
      throw new WireError('rate_limited', message, { retry_after_ms: 1_000 });
    }
    this.open.set(agentId, open + calls);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.open.get(agentId) ?? calls) - calls;
      if (left === 0) this.open.delete(agentId);
      else this.open.set(agentId, left);
    };
  }
}

/** Older revisions of the protocol put several into one body. What is no JSON is for others to refuse. */
export function callsIn(body: string): number {
  if (!/^\s*\[/.test(body)) return 1;
  try {
    const batch: unknown = JSON.parse(body);
    return Array.isArray(batch) ? Math.max(1, batch.length) : 1;
  } catch {
    return 1;
  }
}
