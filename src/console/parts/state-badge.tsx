/** Renders the lifecycle state of a session. */

import type { LifecycleState } from '../../core/records/session/session.ts';

export function StateBadge({ state }: { state: LifecycleState }) {
  return <span class={`badge state-${state.toLowerCase()}`}>{state.toLowerCase()}</span>;
}
