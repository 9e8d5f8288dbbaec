/** Where one speaks: says whose turn it is, and what the hub refuses with its reason; the text stays until the hub has it. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import './act.css';
import { namesIn, type OpenSession } from '../session/open-session.ts';
import { Line } from '../text/shown.tsx';
import { useConsole } from '../use-store.ts';
import type { May } from './may.ts';
import type { RouteChoice } from './routes.ts';
import { keepText, keptText, say } from './say.ts';
import { turnWords } from './turn-words.ts';
import { useChances } from './use-chances.ts';

export function Composer({ session, may }: { session: OpenSession; may: May }) {
  const id = useId();
  const [text, setText] = useState(() => keptText(session.id));
  const [routeId, setRoute] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const { why, routes } = useChances(session);
  const isAway = useConsole((state) => state.connection.kind === 'away');
  const route = routes.find((one) => one.id === routeId);
  useEffect(() => keepText(session.id, text), [session.id, text]);

  const send = async (): Promise<void> => {
    if (isBusy || (text.trim() === '' && route === undefined)) return;
    setBusy(true);
    setRefusal(null);
    const said = route?.packet(text) ?? { event_type: 'msg.text', event_data: { text } };
    const outcome = await say(session.id, { session_id: session.id, ...said });
    setBusy(false);
    if (outcome.ok) {
      setText('');
      setRoute('');
    } else setRefusal(outcome.reason);
    area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void send();
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    void send();
  };
  const isMine = session.turn?.agent_id === may.place?.agent_id;
  const words = turnWords(session.turn, may.place?.agent_id ?? '', namesIn(session.now), why);
  return (
    <form class={`composer${isMine ? ' is-mine' : ''}`} onSubmit={onSubmit} aria-label="Speak">
      <p class="composer-turn" id={`${id}-turn`} role="status">
        <Line text={isBusy && isAway ? 'The hub is out of reach; it is said when it is back.' : words} most={300} />
      </p>
      <label class="unseen" for={id}>
        Your words
      </label>
      <textarea
        ref={area}
        id={id}
        rows={2}
        placeholder="Your words"
        value={text}
        readOnly={isBusy}
        aria-describedby={`${id}-turn ${id}-refusal`}
        aria-invalid={refusal !== null}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="composer-row">
        {routes.length > 0 && <Then routes={routes} chosen={route?.id ?? ''} onChoose={setRoute} />}
        <span class="dim composer-keys">Ctrl+Enter sends</span>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Sending…' : 'Send'}
        </button>
      </div>
      <div id={`${id}-refusal`} role="alert">
        {refusal !== null && (
          <p class="refusal">
            <Line text={refusal} most={400} />
          </p>
        )}
      </div>
    </form>
  );
}

interface ThenProps {
  readonly routes: readonly RouteChoice[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

function Then({ routes, chosen, onChoose }: ThenProps) {
  return (
    <label class="field">
      <span>Then</span>
      <select value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        <option value="">as the session goes</option>
        {routes.map(({ id, words }) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
