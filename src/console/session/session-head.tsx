/** Renders the head of a session: its type, state, participants and turn. */

import type { ComponentChildren } from 'preact';
import type { SessionStateAt } from '../../core/protocol/operations/console-sessions.ts';
import { CloseAction } from '../act/close-action.tsx';
import { usePermissions } from '../act/permissions.ts';
import { PersonActions } from '../act/person-actions.tsx';
import { useIsNarrow } from '../lib/use-viewport.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { namesFrom, type OpenSession } from '../state/session/open-session.ts';
import { raisedHands } from '../state/session/raised-hands.ts';
import { Line } from '../text/untrusted-text.tsx';
import { dollars } from '../text/visible-text.ts';
import { since } from '../time/time-text.ts';
import { useNow } from '../time/times.tsx';
import { LineIn } from '../widgets/widgets.tsx';

export function SessionHead({ session, state }: { session: OpenSession; state: SessionStateAt }) {
  const now = useNow();
  const may = usePermissions(session);
  const { manifest, labels, state: lifecycle, session_id, participants, close_reason } = state.session;
  const turn = session.replay === null ? session.turn : state.turn;
  const waits = turn === null ? state.awaits : state.turn;
  const names = namesFrom(state);
  const hands = raisedHands(state);
  return (
    <header class="session-head">
      <CloseAction sessionId={session_id} isOffered={may.close} />
      <h1>
        <Line text={manifest.type} most={60} /> <span class="mono dim">{session_id.slice(-8)}</span>{' '}
        <StateBadge state={lifecycle} />
        {session.replay !== null && <span class="badge then">as of #{state.at_seq}</span>}
      </h1>
      {close_reason !== null && (
        <p class="close-reason">
          {lifecycle.toLowerCase()} because: <Line text={close_reason} most={240} />
        </p>
      )}
      {labels.intent !== undefined && <LineIn tag="p" class="intent" text={labels.intent} most={240} />}
      <Labels labels={labels} />
      <Participants count={participants.length}>
        <ul class="people" aria-label="Participants">
          {participants.map((one) => {
            const { agent_id, name, role, status } = one;
            const hasTurn = turn?.agent_id === agent_id;
            return (
              <li key={agent_id} class={`person status-${status}${hasTurn ? ' has-turn' : ''}`}>
                <Line text={name} most={40} /> <span class="dim">{role}</span>
                {status !== 'active' && <span class="dim"> · {status}</span>}
                {hasTurn && <span class="turn-mark"> · has the turn</span>}
                {hands?.has(agent_id) === true && <span class="hand"> · hand up: {hands.get(agent_id)}</span>}
                <PersonActions sessionId={session_id} state={lifecycle} participant={one} isOffered={may.operate} />
              </li>
            );
          })}
        </ul>
      </Participants>
      <p class="dim facts">
        {turn !== null && `${names.get(turn.agent_id) ?? turn.agent_id} has had the turn since #${turn.since_seq}`}
        {turn === null && state.awaits === null && 'Nobody has the turn'}
        {turn === null && state.awaits !== null && (
          <LineIn tag="strong" class="awaits" text={state.awaits.text} most={240} />
        )}
        {waits !== null && session.replay === null && `, for ${since(waits.since_at, now)}`}
        {` · newest #${session.log.headSeq}`}
        {state.cost_usd !== null && ` · ${dollars(state.cost_usd)}`}
        {session.by === 'asking' && ' · you see only what is addressed to you'}
      </p>
    </header>
  );
}

const MAX_LABELS = 6;

/** Shows the labels except the intent. The metadata panel shows all of them. */
function Labels({ labels }: { labels: Readonly<Record<string, string>> }) {
  const others = Object.entries(labels).filter(([name]) => name !== 'intent');
  if (others.length === 0) return null;
  const more = others.length - MAX_LABELS;
  return (
    <ul class="labels" aria-label="Labels">
      {others.slice(0, MAX_LABELS).map(([name, value]) => (
        <li key={name} class="label">
          <Line text={`${name}: ${value}`} most={40} />
        </li>
      ))}
      {more > 0 && <li class="dim">and {more} more in the metadata</li>}
    </ul>
  );
}

const MAX_UNFOLDED = 12;
const MAX_UNFOLDED_NARROW = 2;

/** Collapses a long list of participants, to leave room for the transcript. */
function Participants({ count, children }: { count: number; children: ComponentChildren }) {
  const most = useIsNarrow() ? MAX_UNFOLDED_NARROW : MAX_UNFOLDED;
  if (count <= most) return <>{children}</>;
  return (
    <details class="folded-people">
      <summary>{count} participants</summary>
      {children}
    </details>
  );
}
