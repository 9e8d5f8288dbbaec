/** The built-in views by name, as manifests and `create_session` take them. */

import { HubError, type ViewRef } from 'parley-hub/core';

/** Everything the participant may see. */
export function fullTranscript(): ViewRef {
  return { name: 'full_transcript', params: {} };
}

/** The last `recentN` messages, and one line for the rest. */
export function windowedSummary(recentN: number): ViewRef {
  if (!Number.isInteger(recentN) || recentN < 1) {
    throw new HubError('bad_value', `windowed_summary: recent_n must be a whole number ≥ 1, got ${recentN}`);
  }
  return { name: 'windowed_summary', params: { recent_n: recentN } };
}
