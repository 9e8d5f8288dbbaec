/** The session as one participant saw it: what its view gave that one, and nothing else. */

import type { StateAt } from '../../core/console-operations.ts';
import { Line, Said } from '../text/shown.tsx';
import type { Replay } from './open-session.ts';

/** What is drawn of a long view: its end. */
const MOST_SHOWN = 200;

export function ViewOf({ replay, state }: { replay: Replay; state: StateAt }) {
  const { as, view, atSeq, refusal } = replay;
  const name = state.session.participants.find(({ agent_id }) => agent_id === as)?.name ?? as ?? '';
  if (refusal !== null) {
    return (
      <p class="refusal" role="alert">
        The hub refused: <Line text={refusal} most={400} />
      </p>
    );
  }
  return (
    <div class="transcript view-of" tabIndex={0} role="log" aria-label="View" aria-live="off">
      <p class="dim">
        As <Line text={name} most={60} /> saw it at #{atSeq}
        {view !== null && view.length > MOST_SHOWN && `: the last ${MOST_SHOWN} of ${view.length} lines`}
      </p>
      {view?.slice(-MOST_SHOWN).map(({ seq, role, name: speaker, content }, at) => (
        <article class={`said-row ${role}`} key={seq ?? `made-${at}`}>
          <header>
            <strong class="speaker">
              <Line text={speaker ?? (role === 'assistant' ? name : 'the view')} most={60} />
            </strong>{' '}
            <span class="dim">{role === 'assistant' ? 'own' : ''}</span>
            {seq !== null && <span class="seq">#{seq}</span>}
          </header>
          <p class="text">
            <Said text={content} />
          </p>
        </article>
      ))}
      {view?.length === 0 && <p class="dim">Nothing yet.</p>}
    </div>
  );
}
