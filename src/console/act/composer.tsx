/** Where one speaks: says whose turn it is, and what the hub refuses with its reason; the text stays until the hub has it. */

import { useId, useRef } from 'preact/hooks';
import './act.css';
import { namesIn, type OpenSession } from '../state/session/open-session.ts';
import { Line } from '../text/untrusted-text.tsx';
import { useConsole } from '../state/use-store.ts';
import { hearersIn, isChoice } from './compose/recipients.ts';
import type { May } from './permissions.ts';
import { Refusal } from './refusal.tsx';
import { Then } from './then.tsx';
import { ToWhom } from './to-whom.tsx';
import { turnWords } from './compose/turn-text.ts';
import { useChances } from './use-chances.ts';
import { useSpeaking } from './compose/use-message-draft.ts';

interface ComposerProps {
  readonly session: OpenSession;
  readonly may: May;
  /** One's turn is taken elsewhere, and told there. */
  readonly isBeside?: boolean;
}

export function Composer({ session, may, isBeside = false }: ComposerProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const { against, routes } = useChances(session);
  const me = may.place?.agent_id ?? '';
  const isMine = session.turn?.agent_id === me;
  const speaking = useSpeaking(session.id, routes, isMine);
  const { words, isBusy, refusal } = speaking;
  const isAway = useConsole((state) => state.connection.kind === 'away');
  const hearers = session.now === null ? [] : hearersIn(session.now.session, me, words.to);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await speaking.send()) area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send(event);
  };
  const turn = isBeside
    ? (against?.why ?? 'What is said here hands nothing in.')
    : turnWords(session.turn, me, namesIn(session.now), against);
  return (
    <form
      class={`composer${isMine && !isBeside ? ' is-mine' : ''}`}
      onSubmit={(event) => void send(event)}
      aria-label="Speak"
    >
      <p class="composer-turn" id={`${id}-turn`} role="status">
        <Line text={isBusy && isAway ? 'The hub is out of reach; it is said when it is back.' : turn} most={300} />
      </p>
      {isChoice(hearers, words.to) && (
        <ToWhom hearers={hearers} chosen={words.to} onChoose={(to) => speaking.change({ to })} />
      )}
      <label class="unseen" for={id}>
        Your words
      </label>
      <textarea
        ref={area}
        id={id}
        rows={2}
        placeholder="Your words"
        value={words.text}
        readOnly={isBusy}
        aria-describedby={`${id}-turn ${id}-refusal`}
        aria-invalid={refusal !== null}
        onInput={({ currentTarget }) => speaking.change({ text: currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      <div class="composer-row">
        {routes.length > 0 && <Then routes={routes} speaking={speaking} />}
        <span class="dim composer-keys">Ctrl+Enter sends</span>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Sending…' : 'Send'}
        </button>
      </div>
      <Refusal id={`${id}-refusal`} why={refusal} />
    </form>
  );
}
