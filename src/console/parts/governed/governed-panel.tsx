/** A governed run: where it is, what waits for whom, what was decided, and what happened. */

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import '../parts.css';
import '../form/form.css';
import './governed.css';
import { longText, shortText } from '../../text/visible-text.ts';
import { Countdown } from '../../time/times.tsx';
import { type Names, nameIn } from '../graph/drawn-graph.ts';
import { AnswerForm } from './answer-form.tsx';
import { Badge } from './badge.tsx';
import { BlockerNotice } from './blocker-notice.tsx';
import { blockerNow } from './blocker-now.ts';
import type { GateAnswer } from './gate-answer.ts';
import { GateNotice } from './gate-notice.tsx';
import { HistoryPart } from './history-part.tsx';
import { LedgerPart } from './ledger-part.tsx';
import { PhasesPart } from './phases-part.tsx';
import { phasesShown } from './model/phase-model.ts';
import type { RunBook } from './model/run-history.ts';
import { type RunShown, runShown } from './run-shown.ts';
import { RunnerNote } from './runner-note.tsx';

export interface GovernedPanelProps {
  /** `public_state`, now or then. */
  readonly publicState: unknown;
  /** `knobs.config` of the session. */
  readonly config: unknown;
  /** The log up to the same moment, folded by `withEnvelope`. */
  readonly book: RunBook;
  readonly names: Names;
  /** Posts it; rejects with what the hub said. Absent = this identity may not approve, or the past is shown. */
  readonly onGateAnswer?: (answer: GateAnswer) => Promise<void>;
  /** The same for what a blocked run waits for. */
  readonly onBlockerAnswer?: (note: string) => Promise<void>;
  /** Why who has the grant cannot answer; null = nothing has to be said about it. */
  readonly whyNoAnswer?: string | null;
}

export function GovernedPanel(props: GovernedPanelProps): VNode {
  const { publicState, config, book, names, onGateAnswer, onBlockerAnswer, whyNoAnswer = null } = props;
  const run = useMemo(() => runShown(publicState), [publicState]);
  const phases = useMemo(() => phasesShown(config, run), [config, run]);
  const blocker = blockerNow(run, book);
  return (
    <section class="run" aria-label="Governed run">
      <Facts run={run} names={names} />
      <PhasesPart phases={phases} />
      {run.status === 'idle' && (
        <div class="run-notice run-notice-warn">
          <p>
            <strong>The run has not begun.</strong>
          </p>
          <RunnerNote />
        </div>
      )}
      {blocker !== null && <BlockerNotice blocker={blocker} names={names} />}
      {blocker !== null && onBlockerAnswer !== undefined && (
        <AnswerForm
          label="Your answer"
          answers={[{ title: 'Answer', isMain: true, needsWords: 'An answer needs words.', send: onBlockerAnswer }]}
        />
      )}
      {run.pending.map((pending) => (
        <GateNotice
          key={pending.gate_type}
          pending={pending}
          run={run}
          names={names}
          {...(onGateAnswer === undefined ? {} : { onGateAnswer })}
        />
      ))}
      {whyNoAnswer !== null && (blocker !== null || run.pending.length > 0) && <p>{longText(whyNoAnswer)}</p>}
      {run.last_gate_failure !== null && run.pending.length === 0 && (
        <div class="run-notice run-notice-bad">
          <p>
            <strong>{`The gate ${shortText(run.last_gate_failure.gate ?? 'without a name')} did not open.`}</strong>
          </p>
          {run.last_gate_failure.reasons.map((words) => (
            <p key={words}>{longText(words)}</p>
          ))}
        </div>
      )}
      <TurnsPart run={run} names={names} />
      <LedgerPart decisions={book.decisions} />
      <HistoryPart book={book} names={names} />
    </section>
  );
}

function Facts({ run, names }: { readonly run: RunShown; readonly names: Names }): VNode {
  const waits = run.waits_for;
  const facts: readonly (readonly [string, VNode | string])[] = [
    ['Run', run.run_id ?? 'not begun'],
    ['Status', <Badge key="status" word={run.status} />],
    ['Phase', run.phase ?? 'none'],
    ['Accepted turns', String(run.accepted_turns)],
    ...(waits === null ? [] : [['Waits for', `${nameIn(names, waits.agent_id)} (${waits.kind})`] as const]),
    ...(run.next_recommended_role === null ? [] : [['Next role', run.next_recommended_role] as const]),
    ...(run.lease === null ? [] : [['Runner', run.lease.owner] as const]),
  ];
  return (
    <dl class="run-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? shortText(value) : value}</dd>
        </div>
      ))}
    </dl>
  );
}

function TurnsPart({ run, names }: { readonly run: RunShown; readonly names: Names }): VNode {
  return (
    <>
      <h3>Turns that are out</h3>
      {run.turns.length === 0 && <p class="run-quiet">None.</p>}
      <ul class="run-list">
        {run.turns.map(({ turn_id, role, holder, status, attempt, deadline_at, is_handed_in }) => (
          <li key={turn_id}>
            <strong>{shortText(role)}</strong> {holder === null ? '' : `(${shortText(nameIn(names, holder))}) `}
            <Badge word={status} /> {is_handed_in && <Badge word="handed_in" />}{' '}
            {deadline_at !== null && (
              <>
                due <Countdown at={deadline_at} />
              </>
            )}
            <div class="run-quiet">
              {shortText(turn_id)}
              {attempt > 1 && `, attempt ${attempt}`}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
