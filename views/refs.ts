/** The built-in views by name, as manifests and `read_view` take them. */

import { HubError, type ViewRef } from 'parley-hub/core';

/** Everything the participant may see. */
export function fullTranscript(): ViewRef {
  return { name: 'full_transcript', params: {} };
}

/** The last `recentN` messages, and one line for the rest. */
export function windowedSummary(recentN: number): ViewRef {
  return { name: 'windowed_summary', params: { recent_n: whole('windowed_summary: recent_n', recentN) } };
}

/** As many of the newest messages as fit into `maxTokens`; a token is taken to be four characters. */
export function tokenBudget(maxTokens: number): ViewRef {
  return { name: 'token_budget', params: { max_tokens: whole('token_budget: max_tokens', maxTokens) } };
}

/** What the others said since the participant last did. */
export function sinceMyLastTurn(): ViewRef {
  return { name: 'since_my_last_turn', params: {} };
}

/** The same view with `[name]: ` before what others say. */
export function named({ name, params }: ViewRef): ViewRef {
  return { name, params: { ...params, named: true } };
}

function whole(what: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new HubError('bad_value', `${what} must be a whole number ≥ 1, got ${value}`);
}
