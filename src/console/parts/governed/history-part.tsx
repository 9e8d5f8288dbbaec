/** Shows the history of a run, newest first: accepted and rejected turns, gate answers and blockers. */

import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { longText, shortText } from '../../text/visible-text.ts';
import { Ago } from '../../time/times.tsx';
import { type Names, nameIn } from '../graph/drawn-graph.ts';
import { Badge } from './badge.tsx';
import type { AcceptedTurnModel } from './model/accepted-turn.ts';
import type { RunHistory } from './model/run-history.ts';
import { gateText, stopText } from './model/run-model.ts';

const MAX_OBJECTIONS = 20;

interface HistoryEntry {
  readonly seq: number;
  readonly at: string;
  readonly head: string;
  readonly badge: string;
  readonly words: string;
  readonly turn: AcceptedTurnModel | null;
}

export function HistoryPart({ book, names }: { readonly book: RunHistory; readonly names: Names }): VNode {
  const all = useMemo(() => entriesOf(book, names), [book, names]);
  const { shown, more } = useNewestItems(all, 'entries');
  return (
    <>
      <h3>History</h3>
      {all.length === 0 && <p class="run-quiet">No entries yet.</p>}
      <ol class="run-list" reversed>
        {shown.map((one) => (
          <li key={`${one.seq} ${one.head}`}>
            <strong>{shortText(one.head)}</strong> <Badge word={one.badge} />{' '}
            <span class="run-quiet">
              <Ago at={one.at} />
            </span>
            {one.words !== '' && <p>{longText(one.words)}</p>}
            {one.turn !== null && <TurnDetails turn={one.turn} />}
          </li>
        ))}
      </ol>
      {more}
    </>
  );
}

function entriesOf({ turns, rejections, gates, blockers }: RunHistory, names: Names): readonly HistoryEntry[] {
  const all: readonly HistoryEntry[] = [
    ...turns.map((turn) => ({
      ...turn,
      head: `${turn.role}: ${turn.turn_id}`,
      badge: turn.status,
      words: turn.is_hidden ? '(redacted by an operator)' : turn.summary,
      turn,
    })),
    ...rejections.map(({ seq, at, turn_id, reason, errors }) => ({
      seq,
      at,
      head: turn_id,
      badge: 'rejected',
      words: [reason, ...errors].join('\n'),
      turn: null,
    })),
    ...gates.map(({ seq, at, gate, said, by, isPolicy, words }) => ({
      seq,
      at,
      head: `${gateText(gate)}: ${isPolicy ? 'a policy' : nameIn(names, by)}`,
      badge: said,
      words,
      turn: null,
    })),
    ...blockers.map(({ seq, at, what, detail, resolved_at, resolution }) => ({
      seq,
      at,
      head: stopText(what, detail),
      badge: resolved_at === null ? 'blocked' : 'resolved',
      words: resolution === null ? detail : `${detail}\n\u2192 ${resolution}`,
      turn: null,
    })),
  ];
  return all.toSorted((a, b) => a.seq - b.seq);
}

function TurnDetails({ turn }: { readonly turn: AcceptedTurnModel }): VNode {
  const { verification, verified_by, files, objections, cost_usd, next_role } = turn;
  const firstFiles = `${files.slice(0, 5).join(', ')}${files.length > 5 ? '\u2026' : ''}`;
  const facts = [
    `verification ${verification}${verified_by.length === 0 ? '' : ` (${verified_by.join('; ')})`}`,
    ...(files.length === 0 ? [] : [`${files.length} ${files.length === 1 ? 'file' : 'files'}: ${firstFiles}`]),
    ...(cost_usd === null ? [] : [`$${cost_usd}`]),
    ...(next_role === null ? [] : [`next ${next_role}`]),
  ];
  return (
    <>
      {objections.slice(0, MAX_OBJECTIONS).map(({ id, severity, statement, status }) => (
        <p key={id}>
          <Badge word={severity} />{' '}
          {longText(`objection ${id}: ${statement}${status === null ? '' : ` (${status.replaceAll('_', ' ')})`}`)}
        </p>
      ))}
      <p class="run-quiet">{longText(facts.join('; '))}</p>
    </>
  );
}

const STEP = 20;

interface NewestItems<Item> {
  /** The items to show, newest first. */
  readonly shown: readonly Item[];
  readonly more: VNode | null;
}

export function useNewestItems<Item>(items: readonly Item[], what: string): NewestItems<Item> {
  const [count, setCount] = useState(STEP);
  const hidden = Math.max(0, items.length - count);
  const more =
    hidden === 0 ? null : (
      <button type="button" class="form-button" onClick={() => setCount(count + STEP * 5)}>
        {`Show ${hidden} earlier ${what}`}
      </button>
    );
  return { shown: items.slice(hidden).toReversed(), more };
}
