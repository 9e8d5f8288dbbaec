/** Renders a one-line form for a person who may approve, with one button per possible answer. */

import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { asError } from '../../../core/lib/errors.ts';
import { ErrorsPart } from '../form/errors-part.tsx';

export interface Answer {
  readonly title: string;
  readonly isMain?: boolean;
  /** The error for an empty text; absent if the text is optional. */
  readonly emptyError?: string;
  /** Posts the answer; rejects with the hub's error. */
  send(text: string): Promise<void>;
}

export function AnswerForm({ label, answers }: { readonly label: string; readonly answers: readonly Answer[] }): VNode {
  const id = useId();
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const give = async ({ emptyError, send }: Answer): Promise<void> => {
    if (isBusy) return;
    if (emptyError !== undefined && text.trim() === '') return setProblem(emptyError);
    setBusy(true);
    setProblem(null);
    try {
      await send(text.trim());
      setText('');
    } catch (thrown) {
      setProblem(asError(thrown).message);
    }
    setBusy(false);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const [only, another] = answers;
    // Enter submits only if there is a single possible answer.
    if (only !== undefined && another === undefined) void give(only);
  };
  return (
    <form class="run-answer" onSubmit={submit}>
      <div>
        <label class="form-label" for={id}>
          {label}
        </label>
        <input
          id={id}
          class="form-input"
          type="text"
          autocomplete="off"
          value={text}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-errors`}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <ErrorsPart id={`${id}-errors`} messages={problem === null ? [] : [problem]} />
      </div>
      {answers.map((answer) => (
        <button
          key={answer.title}
          type="button"
          class={answer.isMain === true ? 'form-button form-button-main' : 'form-button'}
          disabled={isBusy}
          onClick={() => void give(answer)}
        >
          {answer.title}
        </button>
      ))}
    </form>
  );
}
