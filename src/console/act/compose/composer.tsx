/** Where one speaks: says whose turn it is, and what the hub refuses with its reason; the text stays until the hub has it. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import '../act.css';
import { callRead } from '../../connection/read-operations.ts';
import { store } from '../../state/console-state.ts';
import { namesFrom, type OpenSession } from '../../state/session/open-session.ts';
import { useConsole } from '../../state/use-store.ts';
import { Line } from '../../text/untrusted-text.tsx';
import type { SessionPermissions } from '../permissions.ts';
import { Refusal } from '../refusal.tsx';
import { isChoice, listRecipients, type Recipient, recipientName, recipientsText } from './recipients.ts';
import { type RouteChoice, routeChoices } from './routes.ts';
import { type Against, turnText } from './turn-text.ts';
import { type MessageDraftState, useMessageDraft } from './use-message-draft.ts';

interface ComposerProps {
  readonly session: OpenSession;
  readonly may: SessionPermissions;
  /** One's turn is taken elsewhere, and told there. */
  readonly isBeside?: boolean;
}

export function Composer({ session, may, isBeside = false }: ComposerProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const { against, routes } = useSendCheck(session);
  const me = may.place?.agent_id ?? '';
  const isMine = session.turn?.agent_id === me;
  const speaking = useMessageDraft(session.id, routes, isMine);
  const { words, isBusy, refusal } = speaking;
  const isAway = useConsole((state) => state.connection.kind === 'away');
  const hearers = session.now === null ? [] : listRecipients(session.now.session, me, words.to);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await speaking.send()) area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send(event);
  };
  const turn = isBeside
    ? (against?.why ?? 'What is said here hands nothing in.')
    : turnText(session.turn, me, namesFrom(session.now), against);
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
        <RecipientPicker hearers={hearers} chosen={words.to} onChoose={(to) => speaking.change({ to })} />
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
        {routes.length > 0 && <RoutePicker routes={routes} speaking={speaking} />}
        <span class="dim composer-keys">Ctrl+Enter sends</span>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Sending…' : 'Send'}
        </button>
      </div>
      <Refusal id={`${id}-refusal`} why={refusal} />
    </form>
  );
}

interface Props {
  readonly hearers: readonly Recipient[];
  /** Their ids; none = everybody. */
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

function RecipientPicker({ hearers, chosen, onChoose }: Props) {
  const toggle = (id: string): void =>
    onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <details class="to-whom">
      <summary>
        <Line text={recipientsText(hearers, chosen)} most={80} />
      </summary>
      <fieldset class="chips">
        <legend class="unseen">To whom</legend>
        <label class="chip">
          <input type="checkbox" checked={chosen.length === 0} onChange={() => onChoose([])} />
          everybody
        </label>
        {hearers.map((one) => (
          <label key={one.agent_id} class="chip">
            <input type="checkbox" checked={chosen.includes(one.agent_id)} onChange={() => toggle(one.agent_id)} />
            <Line text={recipientName(one)} most={40} />
          </label>
        ))}
      </fieldset>
    </details>
  );
}

/** As much as a session is closed with. */
const REASON_LENGTH = 256;

function RoutePicker({ routes, speaking }: { routes: readonly RouteChoice[]; speaking: MessageDraftState }) {
  const { route, reason } = speaking;
  return (
    <>
      <label class="field">
        <span>Then</span>
        <select value={route?.id ?? ''} onChange={({ currentTarget }) => speaking.choose(currentTarget.value)}>
          <option value="">as the session goes</option>
          {routes.map(({ id, words }) => (
            <option key={id} value={id}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {route?.takesReason === true && (
        <label class="field">
          <span>Because</span>
          <input
            autocomplete="off"
            maxLength={REASON_LENGTH}
            value={reason}
            onInput={({ currentTarget }) => speaking.giveReason(currentTarget.value)}
          />
        </label>
      )}
    </>
  );
}

interface SendCheck {
  /** What the hub says against a message; null = nothing, or it was not asked yet. */
  readonly against: Against | null;
  readonly routes: readonly RouteChoice[];
}

const UNKNOWN: SendCheck = { against: null, routes: [] };

function useSendCheck({ id, turn, now }: OpenSession): SendCheck {
  const [chances, setChances] = useState(UNKNOWN);
  const me = store.get().me?.agent_id;
  const isMine = turn !== null && turn.agent_id === me;
  useEffect(() => {
    let counts = true;
    const look = async (): Promise<void> => {
      const [{ can, code, why }, tools] = await Promise.all([
        callRead('can_send', { session_id: id }),
        isMine ? callRead('get_session', { session_id: id }).then((answer) => answer.tools) : [],
      ]);
      if (!counts) return;
      setChances({ against: can ? null : { code, why: why ?? 'the hub says no' }, routes: routeChoices(tools) });
    };
    // What it cannot say beforehand, the hub says when it is tried.
    look().catch(() => counts && setChances(UNKNOWN));
    return () => {
      counts = false;
    };
  }, [id, turn?.agent_id, turn?.since_seq, isMine, now?.session.state]);
  return chances;
}
