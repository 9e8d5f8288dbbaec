/** Asks for confirmation and an optional reason, and shows a refusal. Closing the dialog restores the focus. */

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import './act.css';
import { Refusal } from '../widgets/widgets.tsx';

export interface Choice {
  readonly label: string;
  readonly look?: 'primary' | 'danger';
  /** Resolves to null on success, else to the reason for the refusal. */
  run(reason: string): Promise<string | null>;
}

interface Props {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly choices: readonly Choice[];
  readonly onClose: () => void;
}

/** Maximum length of a reason that the hub accepts. */
export const REASON_LENGTH = 256;

export function AskDialog({ title, children, choices, onClose }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const take = async ({ run }: Choice): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    const why = await run(reason.trim());
    setBusy(false);
    // Use close(), which restores the focus; removing the element would not.
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
              key={choice.label}
              type="button"
              class={choice.look ?? ''}
              disabled={isBusy}
              onClick={() => void take(choice)}
            >
              {choice.label}
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
