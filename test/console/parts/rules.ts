/** Parts of transition rules, for graphs in tests. */

import type { JsonObject } from 'parley-hub/core';

export const from = (agent_id: string): JsonObject => ({ name: 'from_speaker', args: { agent_id } });
export const says = (text: string): JsonObject => ({ name: 'text_contains', args: { any: [text] } });
export const allOf = (...conditions: readonly JsonObject[]): JsonObject => ({ name: 'all_of', args: { conditions } });
export const to = (agent_id: string): JsonObject => ({ name: 'agent', args: { agent_id } });
export const target = (name: string): JsonObject => ({ name, args: {} });
export const ending = (reason: string): JsonObject => ({ name: 'terminate', args: { reason } });
