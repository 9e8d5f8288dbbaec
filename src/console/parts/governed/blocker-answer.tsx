/** What a blocked run waits for is answered, by whoever may approve. */

import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ErrorsPart } from '../form/errors-part.tsx';

interface BlockerAnswerProps {
  /** Posts it; rejects with what the hub said. */
  readonly onAnswer: (note: string) => Promise<void>;
}

export function BlockerAnswer({ onAnswer }: BlockerAnswerProps): VNode {
  const id = useId();
  const [words, setWords] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (words.trim() === '') return setProblem('An answer needs words.');
    setBusy(true);
    setProblem(null);
    try {
      await onAnswer(words.trim());
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    }
    setBusy(false);
  };
  return (
    <form class="run-gate-answer" onSubmit={(event) => void send(event)}>
      <div>
        <label class="form-label" for={id}>
          Your answer
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
      <button type="submit" class="form-button form-button-main" disabled={isBusy}>
        Answer
      </button>
    </form>
  );
}
