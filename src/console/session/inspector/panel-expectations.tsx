/** What the session expects, of whom, and how long they still have. */

import { namesFrom } from '../../state/session/open-session.ts';
import { Line } from '../../text/untrusted-text.tsx';
import { Countdown } from '../../time/times.tsx';
import { expectationText } from './expectation-text.ts';
import type { PanelProps } from './panel-props.ts';

export function Expectations({ state }: PanelProps) {
  const names = namesFrom(state);
  const { next_deadline: next, expectations } = state;
  return (
    <>
      {next !== null && (
        <p>
          Next: <Line text={next.what} most={60} /> <Countdown at={next.at} />
        </p>
      )}
      {expectations.length === 0 && <p class="dim">Nothing is expected.</p>}
      <ul class="expectations">
        {expectations.map((one, index) => (
          <li key={index}>
            <strong>
              <Line text={one.name} most={60} />
            </strong>{' '}
            <span class="dim">
              <Line text={expectationText(one)} most={120} />
            </span>
            {one.armed.map(({ agent_id, since_seq, due_at }) => (
              <div key={`${agent_id} ${since_seq}`} class="armed">
                <Line text={agent_id === null ? 'anybody' : (names.get(agent_id) ?? agent_id)} most={40} />{' '}
                <Countdown at={due_at} />
              </div>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}
