/** Several answers of one turn as one: what all of them used, and how the last one ended. Pure. */

import { addCosts } from './cost.ts';
import type { ModelReply } from './client/model-client.ts';
import { addUsage } from './usage/usage.ts';

export function summed(replies: readonly ModelReply[]): ModelReply {
  return replies.reduce((before, reply) => ({
    ...reply,
    usage: addUsage(before.usage, reply.usage),
    cost_usd: addCosts(before.cost_usd, reply.cost_usd),
    latency_ms: before.latency_ms + reply.latency_ms,
    retries: before.retries + reply.retries,
  }));
}
