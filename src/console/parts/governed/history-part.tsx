/** What happened in a run, newest first: accepted turns, turns sent back, what was said at gates, what stopped it. */

import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { longText, shortText } from '../../text/visible-text.ts';
import { Ago } from '../../time/times.tsx';
import { type Names, nameIn } from '../graph/drawn-graph.ts';
import { Badge } from './badge.tsx';
import type { AcceptedTurnModel } from './model/accepted-turn.ts';
import type { RunHistory } from './model/run-history.ts';
import { stopText } from './model/run-model.ts';

const MAX_OBJECTIONS = 20;

interface Happened {
  readonly seq: number;
  readonly at: string;
  readonly head: string;
  readonly badge: string;
  readonly words: string;
  readonly turn: AcceptedTurnModel | null;
}

export function HistoryPart({ book, names }: { readonly book: RunHistory; readonly names: Names }): VNode {
  const all = useMemo(() => happenedIn(book, names), [book, names]);
  const { shown, more } = useNewestItems(all, 'entries');
  return (
    <>
      <h3>History</h3>
      {all.length === 0 && <p class="run-quiet">Nothing has happened yet.</p>}
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

function happenedIn({ turns, rejections, gates, blockers }: RunHistory, names: Names): readonly Happened[] {
  const all: readonly Happened[] = [
    ...turns.map((turn) => ({
      ...turn,
      head: `${turn.role}: ${turn.turn_id}`,
      badge: turn.status,
      words: turn.is_hidden ? '(an operator has hidden what it said)' : turn.summary,
      turn,
    })),
    ...rejections.map(({ seq, at, turn_id, reason, errors }) => ({
      seq,
      at,
      head: `${turn_id} sent back`,
      badge: 'rejected',
      words: [reason, ...errors].join('\n'),
      turn: null,
    })),
    ...gates.map(({ seq, at, gate, said, by, isPolicy, words }) => ({
      seq,
      at,
      head: `gate ${gate ?? 'without a name'}: ${isPolicy ? 'a policy' : nameIn(names, by)}`,
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
  return (
    <>
      {objections.slice(0, MAX_OBJECTIONS).map(({ id, severity, statement, status }) => (
        <p key={id}>
          <Badge word={severity} />{' '}
          {longText(`objection ${id}: ${statement}${status === null ? '' : ` (${status.replaceAll('_', ' ')})`}`)}
        </p>
      ))}
      <p class="run-quiet">
        {longText(
          [
            `verification ${verification}${verified_by.length === 0 ? '' : ` (${verified_by.join('; ')})`}`,
            ...(files.length === 0
              ? []
              : [
                  `${files.length} ${files.length === 1 ? 'file' : 'files'}: ${files.slice(0, 5).join(', ')}${files.length > 5 ? '\u2026' : ''}`,
                ]),
            ...(cost_usd === null ? [] : [`$${cost_usd}`]),
            ...(next_role === null ? [] : [`next ${next_role}`]),
          ].join('; '),
        )}
      </p>
    </>
  );
}

const STEP = 20;

interface NewestItems<Item> {
  /** Newest first. */
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
