/** What the type of the session shows of its folded state. */

import { Line, Value } from '../../text/untrusted-text.tsx';
import type { PanelProps } from './inspector.tsx';
import { namesIn } from '../../state/session/open-session.ts';
import { withNames } from '../with-names.ts';

export function PublicState({ state }: PanelProps) {
  if (state.unavailable !== null) {
    return (
      <p class="refusal">
        <Line text={state.unavailable} most={400} />
      </p>
    );
  }
  return <Value value={withNames(state.public_state, namesIn(state))} label="State" />;
}
