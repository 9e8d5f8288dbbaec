/** A gate that waits for approval, and for whoever may: approve it, or refuse it with a reason. */

import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ErrorsPart } from '../form/errors-part.tsx';
import { type Names, nameIn } from '../graph/drawn-graph.ts';
import { longText, shortText } from '../text/shown-text.ts';
import { approval, type GateAnswer, refusal } from './gate-answer.ts';
import type { PendingGate, RunShown } from './run-shown.ts';

interface GateNoticeProps {
  readonly pending: PendingGate;
  readonly run: RunShown;
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
      {onGateAnswer !== undefined && <Answer key={gate} pending={pending} onGateAnswer={onGateAnswer} />}
    </div>
  );
}

interface AnswerProps {
  readonly pending: PendingGate;
  readonly onGateAnswer: (answer: GateAnswer) => Promise<void>;
}

function Answer({ pending, onGateAnswer }: AnswerProps): VNode {
  const id = useId();
  const [words, setWords] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = async (answer: GateAnswer): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await onGateAnswer(answer);
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    }
    setBusy(false);
  };
  const refuse = () => {
    if (words.trim() === '') setProblem('A refusal needs a reason.');
    else void send(refusal(pending, words));
  };
  return (
    <div class="run-gate-answer">
      <div>
        <label class="form-label" for={id}>
          Note or reason
        </label>
        <input
          id={id}
          class="form-input"
          type="text"
          autocomplete="off"
          value={words}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-errors`}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <ErrorsPart id={`${id}-errors`} messages={problem === null ? [] : [problem]} />
      </div>
      <button
        type="button"
        class="form-button form-button-main"
        disabled={isBusy}
        onClick={() => void send(approval(pending, words))}
      >
        Approve
      </button>
      <button type="button" class="form-button" disabled={isBusy} onClick={refuse}>
        Refuse
      </button>
    </div>
  );
}
