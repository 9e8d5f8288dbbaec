/** Whoever may approve answers a run in a line: with one of several answers, of which some need words. */

import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ErrorsPart } from '../form/errors-part.tsx';

export interface Answer {
  readonly title: string;
  readonly isMain?: boolean;
  /** What is said if there are no words; absent = it needs none. */
  readonly needsWords?: string;
  /** Posts it; rejects with what the hub said. */
  send(words: string): Promise<void>;
}

export function AnswerForm({ label, answers }: { readonly label: string; readonly answers: readonly Answer[] }): VNode {
  const id = useId();
  const [words, setWords] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const give = async ({ needsWords, send }: Answer): Promise<void> => {
    if (isBusy) return;
    if (needsWords !== undefined && words.trim() === '') return setProblem(needsWords);
    setBusy(true);
    setProblem(null);
    try {
      await send(words.trim());
      // What was said with one answer is not said with the next.
      setWords('');
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    }
    setBusy(false);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const [only, another] = answers;
    // Among several nobody chooses by Enter.
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
          value={words}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-errors`}
          onInput={(event) => setWords(event.currentTarget.value)}
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
