/** Renders the panels that show parts of the session state unchanged. */

import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';
import { namesFrom, type OpenSession } from '../../state/session/open-session.ts';
import { expectationText, withNames } from '../../state/session/session-text.ts';
import { Line, Value } from '../../text/untrusted-text.tsx';
import { Countdown } from '../../time/times.tsx';
import { Facts, LineIn } from '../../widgets/widgets.tsx';

export interface PanelProps {
  readonly session: OpenSession;
  /** The state at the seq that the page shows. */
  readonly state: SessionStateAt;
}

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
      {expectations.length === 0 && <p class="dim">No expectations.</p>}
      <ul class="expectations">
        {expectations.map((one, index) => (
          <li key={index}>
            <LineIn tag="strong" text={one.name} most={60} />{' '}
            <LineIn tag="span" class="dim" text={expectationText(one)} most={120} />
            {one.armed.map(({ agent_id, since_seq, due_at }) => (
              <div key={`${agent_id} ${since_seq}`} class="armed">
                <Line text={agent_id === null ? 'anyone' : (names.get(agent_id) ?? agent_id)} most={40} />{' '}
                <Countdown at={due_at} />
              </div>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

export function PublicState({ state }: PanelProps) {
  if (state.unavailable === null) {
    return <Value value={withNames(state.public_state, namesFrom(state))} label="State" />;
  }
  return <LineIn tag="p" class="refusal" text={state.unavailable} most={400} />;
}

export function Metadata({ state }: PanelProps) {
  const { session } = state;
  const facts: readonly (readonly [string, string | null])[] = [
    ['Id', session.session_id],
    ['Type', `${session.manifest.type} v${session.manifest.version}`],
    ['Created by', namesFrom(state).get(session.creator_id) ?? session.creator_id],
    ['Created', session.created_at],
    ['Active since', session.opened_at],
    ['Expires', session.expires_at],
    ['Closed', session.closed_at],
    ['Close reason', session.close_reason],
    ['Parent session', session.parent_session_id],
    ...Object.entries(session.labels).map(([name, value]) => [`Label ${name}`, value] as const),
  ];
  return (
    <>
      <Facts
        facts={facts.flatMap(([name, value]) =>
          value === null ? [] : [[name, <Line key={name} text={value} most={200} />]],
        )}
      />
      <h3>Knobs</h3>
      <Value value={session.knobs} label="Knobs" />
    </>
  );
}
