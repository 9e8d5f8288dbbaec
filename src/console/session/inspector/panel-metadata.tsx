/** What was said of the session when it was opened, and when what happened to it. */

import { namesFrom } from '../../state/session/open-session.ts';
import { Line, Value } from '../../text/untrusted-text.tsx';
import type { PanelProps } from './panel-props.ts';

export function Metadata({ state }: PanelProps) {
  const { session } = state;
  const names = namesFrom(state);
  const facts: readonly (readonly [string, string | null])[] = [
    ['Id', session.session_id],
    ['Type', `${session.manifest.type} v${session.manifest.version}`],
    ['Opened by', names.get(session.creator_id) ?? session.creator_id],
    ['Created', session.created_at],
    ['Active since', session.opened_at],
    ['Expires', session.expires_at],
    ['Closed', session.closed_at],
    ['Because', session.close_reason],
    ['Belongs to', session.parent_session_id],
    ...Object.entries(session.labels).map(([name, value]) => [`Label ${name}`, value] as const),
  ];
  return (
    <>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>
                <Line text={name} most={60} />
              </dt>
              <dd>
                <Line text={value} most={200} />
              </dd>
            </div>
          ),
        )}
      </dl>
      <h3>Knobs</h3>
      <Value value={session.knobs} label="Knobs" />
    </>
  );
}
