/** What the type of the session shows of its folded state. */

import { namesFrom } from '../../state/session/open-session.ts';
import { Line, Value } from '../../text/untrusted-text.tsx';
import { withNames } from './expectation-text.ts';
import type { PanelProps } from './panel-props.ts';

export function PublicState({ state }: PanelProps) {
  if (state.unavailable !== null) {
    return (
      <p class="refusal">
        <Line text={state.unavailable} most={400} />
      </p>
    );
  }
  return <Value value={withNames(state.public_state, namesFrom(state))} label="State" />;
}
