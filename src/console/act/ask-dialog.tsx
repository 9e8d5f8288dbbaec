/** Asks before something is done, with a reason if wanted. What the hub refuses is told in it; closed, the focus is where it was. */

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import './act.css';
import { Refusal } from './refusal.tsx';

export interface Choice {
  readonly words: string;
  readonly isMain?: boolean;
  /** It cannot be undone, and looks so. */
  readonly isFinal?: boolean;
  /** A reason has to be given. */
  readonly needsReason?: boolean;
  /** null = it is done; else why not. */
  run(reason: string): Promise<string | null>;
}

interface Props {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly choices: readonly Choice[];
  readonly onClose: () => void;
}

/** As much as the hub takes. */
const REASON_LENGTH = 256;

export function AskDialog({ title, children, choices, onClose }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const take = async ({ needsReason = false, run }: Choice): Promise<void> => {
    if (isBusy) return;
    if (needsReason && reason.trim() === '') return setProblem('A reason is needed.');
    setBusy(true);
    setProblem(null);
    const why = await run(reason.trim());
    setBusy(false);
    // Closing it, and not only taking it away, brings the focus back.
    if (why === null) dialog.current?.close();
    else setProblem(why);
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const [first, second] = choices;
    if (first !== undefined && second === undefined) void take(first);
  };
  return (
    <dialog ref={dialog} class="ask" aria-labelledby={`${id}-title`} onClose={onClose}>
      <form onSubmit={onSubmit}>
        <h2 id={`${id}-title`}>{title}</h2>
        {children}
        <label class="field" for={`${id}-reason`}>
          Reason
        </label>
        <input
          id={`${id}-reason`}
          autocomplete="off"
          maxLength={REASON_LENGTH}
          value={reason}
          aria-describedby={`${id}-problem`}
          aria-invalid={problem !== null}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Refusal id={`${id}-problem`} why={problem} />
        <div class="ask-row">
          {choices.map((choice) => (
            <button
              key={choice.words}
              type="button"
              class={choice.isMain === true ? 'primary' : choice.isFinal === true ? 'danger' : ''}
              disabled={isBusy}
              onClick={() => void take(choice)}
            >
              {choice.words}
            </button>
          ))}
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
