/** Shows the session as the view rendered it for one participant. */

import type { ViewMessage } from '../../../core/ports/view.ts';
import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';
import type { Envelope } from '../../../core/records/session/envelope.ts';
import { hubNow } from '../../state/hub-clock.ts';
import { namesFrom, type Replay } from '../../state/session/open-session.ts';
import { Line, Said } from '../../text/untrusted-text.tsx';
import { clockTime } from '../../time/time-text.ts';
import { Failure, LineIn } from '../../widgets/widgets.tsx';
import { Audience } from './envelope-row.tsx';

interface LineProps {
  readonly line: ViewMessage;
  /** The name of the participant whose view is shown. */
  readonly own: string;
  /** The envelope of this line; undefined if it is not loaded. */
  readonly envelope: Envelope | undefined;
  readonly names: ReadonlyMap<string, string>;
}

/** Maximum number of lines shown; of a longer view, the last ones. */
const MAX_SHOWN = 200;

export function ParticipantView({ replay, state }: { replay: Replay; state: SessionStateAt }) {
  const { as, view, log, atSeq, refusal } = replay;
  const names = namesFrom(state);
  const name = state.session.participants.find(({ agent_id }) => agent_id === as)?.name ?? as ?? '';
  if (refusal !== null) return <Failure title="The hub refused" why={refusal} />;
  return (
    <div class="transcript view-of" tabIndex={0} role="log" aria-label="View" aria-live="off">
      <p class="dim">
        As <Line text={name} most={60} /> saw it at #{atSeq}
        {view !== null && view.length > MAX_SHOWN && `: the last ${MAX_SHOWN} of ${view.length} lines`}
      </p>
      {view?.slice(-MAX_SHOWN).map((line, at) => (
        <ViewLine
          key={line.seq ?? `made-${at}`}
          line={line}
          own={name}
          envelope={log.envelopes.find(({ seq }) => seq === line.seq)}
          names={names}
        />
      ))}
      {view?.length === 0 && <p class="dim">Nothing yet.</p>}
    </div>
  );
}

function ViewLine({ line: { seq, role, name: speaker, content }, own, envelope, names }: LineProps) {
  const isOwn = role === 'assistant';
  // Most views start a line with the name of the sender: do not show it twice.
  const isNamed = speaker !== null && content.startsWith(`[${speaker}]`);
  return (
    <article class={`said-row ${role}`}>
      <header>
        {!isNamed && <LineIn tag="strong" class="speaker" text={speaker ?? (isOwn ? own : 'the view')} most={60} />}{' '}
        <span class="dim">{isOwn ? 'own' : ''}</span>
        {envelope !== undefined && <Audience audience={envelope.audience} names={names} />}
        {seq !== null && <span class="seq">#{seq}</span>}
        {envelope !== undefined && (
          <time class="dim" dateTime={envelope.created_at}>
            {clockTime(envelope.created_at, hubNow())}
          </time>
        )}
      </header>
      <p class="text">
        <Said text={content} />
      </p>
    </article>
  );
}
