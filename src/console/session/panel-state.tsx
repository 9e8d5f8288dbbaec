/** What the type of the session shows of its folded state. */

import { Line, Value } from '../text/shown.tsx';
import type { PanelProps } from './inspector.tsx';

export function PublicState({ state }: PanelProps) {
  if (state.unavailable !== null) {
    return (
      <p class="refusal">
        <Line text={state.unavailable} most={400} />
      </p>
    );
  }
  return <Value value={state.public_state} label="State" />;
}
