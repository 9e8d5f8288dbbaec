/** A gate that waits for approval, and for whoever may: approve it, or refuse it with a reason. */

import type { VNode } from 'preact';
import { longText, shortText } from '../../text/visible-text.ts';
import { type Names, nameIn } from '../graph/drawn-graph.ts';
import { type Answer, AnswerForm } from './answer-form.tsx';
import { approval, type GateAnswer, type PendingGate, type RunModel, refusal } from './model/run-model.ts';

interface GateNoticeProps {
  readonly pending: PendingGate;
  readonly run: RunModel;
  readonly names: Names;
  readonly onGateAnswer?: (answer: GateAnswer) => Promise<void>;
}

export function GateNotice({ pending, run, names, onGateAnswer }: GateNoticeProps): VNode {
  const { gate, to, requested_by_turn } = pending;
  const said = run.refusal !== null && run.refusal.gate === gate ? run.refusal : null;
  return (
    <div class="run-notice run-notice-warn">
      <p>
        <strong>{`The gate ${shortText(gate ?? 'without a name')} waits for approval`}</strong>
        {to === null ? ' to complete the run' : ` to go on to ${shortText(to)}`}
        {requested_by_turn !== null && ` (asked by ${shortText(requested_by_turn)})`}.
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
    { title: 'Refuse', needsWords: 'A refusal needs a reason.', send: (reason) => post(refusal(pending, reason)) },
  ];
}
