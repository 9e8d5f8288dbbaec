/** Shows a governed run: status, phases, pending answers, decisions and history. */

import { useMemo } from 'preact/hooks';
import '../parts.css';
import '../form/form.css';
import './governed.css';
import type { VNode } from 'preact';
import { fittingText } from '../../text/fitting-text.ts';
import { longText, shortText } from '../../text/visible-text.ts';
import { Ago, Countdown } from '../../time/times.tsx';
import { type Names, nameIn } from '../graph/drawn-graph.ts';
import { type Answer, AnswerForm } from './answer-form.tsx';
import { Badge, RunnerNote } from './badge.tsx';
import { HistoryPart, useNewestItems } from './history-part.tsx';
import type { Decision } from './model/accepted-turn.ts';
import { type GateModel, type PhaseModel, toPhaseModels } from './model/phase-model.ts';
import type { Blocker, RunHistory } from './model/run-history.ts';
import {
  approval,
  currentBlocker,
  type GateAnswer,
  gateText,
  type PendingGate,
  type RunModel,
  refusal,
  stopText,
  toRunModel,
} from './model/run-model.ts';

export interface GovernedPanelProps {
  /** `public_state` of the session, now or at a past seq. */
  readonly publicState: unknown;
  /** `knobs.config` of the session. */
  readonly config: unknown;
  /** The log up to the same seq, folded by `withEnvelope`. */
  readonly book: RunHistory;
  readonly names: Names;
  /** Posts the answer; rejects with the hub's error. Absent if this identity may not approve, or during replay. */
  readonly onGateAnswer?: (answer: GateAnswer) => Promise<void>;
  /** Like `onGateAnswer`, for the answer that a blocked run needs. */
  readonly onBlockerAnswer?: (note: string) => Promise<void>;
  /** Why an identity with the approve grant cannot answer; null if there is no obstacle to report. */
  readonly approvalObstacle?: string | null;
}

export function GovernedPanel(props: GovernedPanelProps): VNode {
  const { publicState, config, book, names, onGateAnswer, onBlockerAnswer, approvalObstacle = null } = props;
  const run = useMemo(() => toRunModel(publicState), [publicState]);
  const phases = useMemo(() => toPhaseModels(config, run), [config, run]);
  const blocker = currentBlocker(run, book);
  return (
    <section class="run" aria-label="Governed run">
      <Facts run={run} names={names} />
      <PhasesPart phases={phases} />
      {run.status === 'idle' && (
        <div class="run-notice run-notice-warn">
          <p>
            <strong>The run has not started.</strong>
          </p>
          <RunnerNote />
        </div>
      )}
      {blocker !== null && <BlockerNotice blocker={blocker} names={names} />}
      {blocker !== null && onBlockerAnswer !== undefined && (
        <AnswerForm
          label="Your answer"
          answers={[{ title: 'Answer', isMain: true, emptyError: 'Enter an answer.', send: onBlockerAnswer }]}
        />
      )}
      {run.pending.map((pending) => (
        <GateNotice key={pending.gate_type} pending={pending} run={run} names={names} onGateAnswer={onGateAnswer} />
      ))}
      {approvalObstacle !== null && (blocker !== null || run.pending.length > 0) && <p>{longText(approvalObstacle)}</p>}
      {run.last_gate_failure !== null && run.pending.length === 0 && (
        <div class="run-notice run-notice-bad">
          <p>
            <strong>{`The ${gateText(run.last_gate_failure.gate)} failed.`}</strong>
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

function Facts({ run, names }: { readonly run: RunModel; readonly names: Names }): VNode {
  const waits = run.waits_for;
  const facts: readonly (readonly [string, VNode | string])[] = [
    ['Run', run.run_id ?? 'not started'],
    ['Status', <Badge key="status" word={run.status} />],
    ['Phase', run.phase ?? 'none'],
    ['Accepted turns', String(run.accepted_turns)],
    ...(waits === null ? [] : [['Waits for', `${nameIn(names, waits.agent_id)} (${waits.kind})`] as const]),
    ...(run.next_recommended_role === null ? [] : [['Next role', run.next_recommended_role] as const]),
    ...(run.runner === null ? [] : [['Runner', run.runner] as const]),
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

function TurnsPart({ run, names }: { readonly run: RunModel; readonly names: Names }): VNode {
  return (
    <>
      <h3>Active turns</h3>
      {run.turns.length === 0 && <p class="run-quiet">None.</p>}
      <ul class="run-list">
        {run.turns.map(({ turn_id, role, holder, status, attempt, deadline_at, is_handed_in }) => (
          <li key={turn_id}>
            <strong>{shortText(role)}</strong> {holder === null ? '' : `(${shortText(nameIn(names, holder))}) `}
            <Badge word={status} /> {is_handed_in && <Badge word="submitted" />}{' '}
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

interface GateNoticeProps {
  readonly pending: PendingGate;
  readonly run: RunModel;
  readonly names: Names;
  readonly onGateAnswer: GovernedPanelProps['onGateAnswer'] | undefined;
}

function GateNotice({ pending, run, names, onGateAnswer }: GateNoticeProps): VNode {
  const { gate, to, requested_by_turn } = pending;
  const said = run.refusal !== null && run.refusal.gate === gate ? run.refusal : null;
  return (
    <div class="run-notice run-notice-warn">
      <p>
        <strong>{`The ${gateText(gate)} waits for approval`}</strong>
        {to === null ? ' to complete the run' : ` to enter ${shortText(to)}`}
        {requested_by_turn !== null && ` (requested by ${shortText(requested_by_turn)})`}.
      </p>
      {said !== null && (
        <p>{`Refused by ${shortText(said.by === null ? 'somebody' : nameIn(names, said.by))}: ${longText(said.reason)}`}</p>
      )}
      {onGateAnswer !== undefined && (
        <AnswerForm key={gate} label="Note or reason" answers={gateAnswers(pending, onGateAnswer)} />
      )}
    </div>
  );
}

function gateAnswers(pending: PendingGate, post: (answer: GateAnswer) => Promise<void>): readonly Answer[] {
  return [
    { title: 'Approve', isMain: true, send: (note) => post(approval(pending, note)) },
    { title: 'Refuse', emptyError: 'Enter a reason.', send: (reason) => post(refusal(pending, reason)) },
  ];
}

function BlockerNotice({ blocker, names }: { readonly blocker: Blocker; readonly names: Names }): VNode {
  const { detail, what, owner, action, isQuestion, at } = blocker;
  return (
    <div class="run-notice run-notice-bad">
      <p>
        <strong>{isQuestion ? 'Question for a person:' : 'Blocked:'}</strong> {longText(detail)}
      </p>
      <p class="run-quiet">
        {shortText(stopText(what, detail))} {at !== '' && <Ago at={at} />}
        {owner !== null && `; ${shortText(nameIn(names, owner))} can resolve it`}
        {action !== null && `: ${shortText(action)}`}
      </p>
    </div>
  );
}

const STATUS_WORDS = { done: 'done', current: 'now', ahead: 'ahead' } as const;

function PhasesPart({ phases }: { readonly phases: readonly PhaseModel[] }): VNode {
  return (
    <ol class="run-phases" aria-label="Phases">
      {phases.map(({ name, status, gate }) => (
        <li
          key={name}
          class={`run-phase run-phase-${status}`}
          {...(status === 'current' ? { 'aria-current': 'step' as const } : {})}
        >
          <span>
            {shortText(name)} <small>({STATUS_WORDS[status]})</small>
          </span>
          {gate !== null && <Gate gate={gate} />}
        </li>
      ))}
    </ol>
  );
}

function Gate({ gate }: { readonly gate: GateModel }): VNode {
  const { name, status, requirements } = gate;
  return (
    <small>
      gate {shortText(name)} <Badge word={status} />
      {requirements.length > 0 && (
        <span class="run-quiet">{` ${fittingText(`needs ${requirements.join('; ')}`, 160).text}`}</span>
      )}
    </small>
  );
}

function LedgerPart({ decisions }: { readonly decisions: readonly Decision[] }): VNode {
  const { shown, more } = useNewestItems(decisions, 'decisions');
  return (
    <>
      <h3>Ledger</h3>
      {decisions.length === 0 && <p class="run-quiet">No decisions yet.</p>}
      <ul class="run-list">
        {shown.map((one) => (
          <li key={one.id}>
            <span class={one.overridden_by === null ? '' : 'run-overridden'}>
              <strong>{shortText(one.id)}</strong> {longText(one.statement)}
            </span>
            <p class="run-quiet">{longText(aboutOf(one))}</p>
            {one.rationale !== '' && <p class="run-quiet">{longText(one.rationale)}</p>}
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}

function aboutOf({ category, role, turn_id, outlivesRun, overrides, overridden_by }: Decision): string {
  return [
    category,
    overridden_by === null ? 'stands' : `overridden by ${overridden_by}`,
    ...(overrides === null ? [] : [`overrides ${overrides}`]),
    ...(outlivesRun ? ['outlives the run'] : []),
    ...(role === null ? [] : [`by ${role}`]),
    ...(turn_id === null ? [] : [`in ${turn_id}`]),
  ].join(', ');
}
