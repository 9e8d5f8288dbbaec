/** References to the built-in views for manifests and `read_view`. */

import { HubError, type ViewRef } from 'parley-hub/core';

/** All lines visible to the participant. */
export function fullTranscript(): ViewRef {
  return { name: 'full_transcript', params: {} };
}

/** The last `recentN` messages, and one line that summarizes the rest. */
export function windowedSummary(recentN: number): ViewRef {
  return { name: 'windowed_summary', params: { recent_n: whole('windowed_summary: recent_n', recentN) } };
}

/** The newest messages that fit into `maxTokens`, at four characters per token. */
export function tokenBudget(maxTokens: number): ViewRef {
  return { name: 'token_budget', params: { max_tokens: whole('token_budget: max_tokens', maxTokens) } };
}

/** Lines of others since the participant's last line. */
export function sinceMyLastTurn(): ViewRef {
  return { name: 'since_my_last_turn', params: {} };
}

/** The same view with `[name]: ` before lines of others. */
export function named({ name, params }: ViewRef): ViewRef {
  return { name, params: { ...params, named: true } };
}

function whole(what: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new HubError('bad_value', `${what} must be a whole number ≥ 1, got ${value}`);
}
