/** Renders one session of the list. */

import type { SessionDescription } from '../../core/protocol/operations/console-sessions.ts';
import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';
import { memo } from '../lib/memo.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { sessionHref } from '../state/route.ts';
import { Line } from '../text/untrusted-text.tsx';
import { dollars, shortLine } from '../text/visible-text.ts';
import { since } from '../time/time-text.ts';
import { Countdown, useNow } from '../time/times.tsx';
import { LineIn } from '../widgets/widgets.tsx';

export const COLUMNS = ['State', 'Session', 'Participants', 'Turn', 'Next deadline', 'Cost', 'Changed'] as const;

interface Props {
  readonly row: SessionSummary | undefined;
  readonly description: SessionDescription | undefined;
  readonly index: number;
  /** True if this row is the tab stop of the list. */
  readonly isStop: boolean;
  onFocus(index: number): void;
}

export const SessionRow = memo(function SessionRow({ row, description, index, isStop, onFocus }: Props) {
  const now = useNow();
  if (row === undefined) return null;
  const { session_id, type, state, labels } = row;
  const intent = labels.intent ?? description?.text ?? '';
  return (
    <div class="row" role="row" aria-rowindex={index + 2}>
      <span role="cell" class="cell state">
        <StateBadge state={state} />
      </span>
      <span role="cell" class="cell session">
        <a
          href={sessionHref(session_id)}
          class="row-link"
          data-row={index}
          tabIndex={isStop ? 0 : -1}
          onFocus={() => onFocus(index)}
        >
          <LineIn tag="strong" text={type} most={40} /> <span class="mono dim">{session_id.slice(-8)}</span>
        </a>{' '}
        {intent !== '' && <LineIn tag="span" class="dim intent" text={intent} most={90} />}
      </span>
      <span role="cell" class="cell participants">
        <Names description={description} />
      </span>
      <span role="cell" class="cell turn">
        <TurnCell description={description} now={now} />
      </span>
      <span role="cell" class="cell next-deadline">
        <Deadline row={row} description={description} />
      </span>
      <span role="cell" class="cell cost number">
        {description?.cost_usd == null ? <Nothing /> : dollars(description.cost_usd)}
      </span>
      <span role="cell" class="cell changed number dim">
        {since(row.changed_at, now)}
      </span>
    </div>
  );
});

const MAX_NAMES = 3;

function Names({ description }: { description: SessionDescription | undefined }) {
  const participants = description?.participants ?? [];
  const more = participants.length - MAX_NAMES;
  return (
    <>
      {participants.slice(0, MAX_NAMES).map(({ agent_id, name, status }) => (
        <span key={agent_id} class={`name status-${status}`} title={status}>
          <Line text={name} most={20} />
        </span>
      ))}
      {more > 0 && <span class="dim">+{more}</span>}
    </>
  );
}

function TurnCell({ description, now }: { description: SessionDescription | undefined; now: number }) {
  const turn = description?.turn;
  if (!turn) return <Awaited awaits={description?.awaits ?? null} now={now} />;
  const name = description.participants.find(({ agent_id }) => agent_id === turn.agent_id)?.name ?? turn.agent_id;
  return (
    <>
      <Line text={name} most={20} /> <span class="dim">{since(turn.since_at, now)}</span>
    </>
  );
}

/** Shows the decision that the session waits for while nobody has the turn. */
function Awaited({ awaits, now }: { awaits: SessionDescription['awaits']; now: number }) {
  if (awaits === null) return <Nothing />;
  return (
    <span class="awaited" title={shortLine(`${awaits.text}; requires the "${awaits.grant}" grant`, 240)}>
      <Line text={awaits.text} most={60} /> <span class="dim">{since(awaits.since_at, now)}</span>
    </span>
  );
}

/** Shows the next deadline, or why the session ended. */
function Deadline({ row, description }: { row: SessionSummary; description: SessionDescription | undefined }) {
  if (row.close_reason !== null) {
    return <LineIn tag="span" class="dim" text={row.close_reason} most={40} />;
  }
  const deadline = description?.next_deadline;
  if (!deadline) return <Nothing />;
  return (
    <>
      <Line text={deadline.what} most={20} /> <Countdown at={deadline.at} />
    </>
  );
}

/** Placeholder in an empty cell, hidden on a narrow page. */
function Nothing() {
  return <span class="dim nothing">–</span>;
}
