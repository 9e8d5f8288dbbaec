/** Message form: shows whose turn it is and why a message was refused; keeps the text until the hub accepts it. */

import { useId, useRef } from 'preact/hooks';
import '../act.css';
import { callRead } from '../../connection/read-operations.ts';
import { useRead } from '../../connection/use-read.ts';
import { namesFrom, type OpenSession } from '../../state/session/open-session.ts';
import { useConsole } from '../../state/use-store.ts';
import { Line } from '../../text/untrusted-text.tsx';
import { Refusal } from '../../widgets/widgets.tsx';
import { REASON_LENGTH } from '../ask-dialog.tsx';
import type { SessionPermissions } from '../permissions.ts';
import { isChoice, listRecipients, type Recipient, recipientName, recipientsText } from './recipients.ts';
import { type RouteChoice, routeChoices } from './routes.ts';
import { type Obstacle, turnText } from './turn-text.ts';
import { type MessageDraftState, useMessageDraft } from './use-message-draft.ts';

interface ComposerProps {
  readonly session: OpenSession;
  readonly may: SessionPermissions;
  /** True if the form for the turn result is shown too: messages sent here do not submit the turn. */
  readonly isBeside?: boolean;
}

export function Composer({ session, may, isBeside = false }: ComposerProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const me = may.place?.agent_id ?? '';
  const isMine = session.turn?.agent_id === me;
  const { obstacle, routes } = useSendCheck(session, isMine);
  const message = useMessageDraft(session.id, routes, isMine);
  const { draft, isBusy, refusal } = message;
  const isAway = useConsole((state) => state.connection.kind === 'away');
  const recipients = session.now === null ? [] : listRecipients(session.now.session, me, draft.to);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await message.send()) area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send(event);
  };
  const turn = isBeside
    ? (obstacle?.why ?? 'Messages here do not submit the turn result.')
    : turnText(session.turn, me, namesFrom(session.now), obstacle);
  return (
    <form
      class={`composer${isMine && !isBeside ? ' is-mine' : ''}`}
      onSubmit={(event) => void send(event)}
      aria-label="Send"
    >
      <p class="composer-turn" id={`${id}-turn`} role="status">
        <Line text={isBusy && isAway ? 'The hub is unreachable; the message is sent on reconnect.' : turn} most={300} />
      </p>
      {isChoice(recipients, draft.to) && (
        <RecipientPicker recipients={recipients} chosen={draft.to} onChoose={(to) => message.change({ to })} />
      )}
      <label class="unseen" for={id}>
        Message
      </label>
      <textarea
        ref={area}
        id={id}
        rows={2}
        placeholder="Message"
        value={draft.text}
        readOnly={isBusy}
        aria-describedby={`${id}-turn ${id}-refusal`}
        aria-invalid={refusal !== null}
        onInput={({ currentTarget }) => message.change({ text: currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      <div class="composer-row">
        {routes.length > 0 && <RoutePicker routes={routes} message={message} />}
        <span class="dim composer-keys">Ctrl+Enter sends</span>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Sending…' : 'Send'}
        </button>
      </div>
      <Refusal id={`${id}-refusal`} why={refusal} />
    </form>
  );
}

interface PickerProps {
  readonly recipients: readonly Recipient[];
  /** Agent ids of the recipients; empty for everyone. */
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

function RecipientPicker({ recipients, chosen, onChoose }: PickerProps) {
  const toggle = (id: string): void =>
    onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <details class="to-whom">
      <summary>
        <Line text={recipientsText(recipients, chosen)} most={80} />
      </summary>
      <fieldset class="chips">
        <legend class="unseen">Recipients</legend>
        <label class="chip">
          <input type="checkbox" checked={chosen.length === 0} onChange={() => onChoose([])} />
          everyone
        </label>
        {recipients.map((one) => (
          <label key={one.agent_id} class="chip">
            <input type="checkbox" checked={chosen.includes(one.agent_id)} onChange={() => toggle(one.agent_id)} />
            <Line text={recipientName(one)} most={40} />
          </label>
        ))}
      </fieldset>
    </details>
  );
}

function RoutePicker({ routes, message }: { routes: readonly RouteChoice[]; message: MessageDraftState }) {
  const { route, reason } = message;
  return (
    <>
      <label class="field">
        <span>Then</span>
        <select value={route?.id ?? ''} onChange={({ currentTarget }) => message.choose(currentTarget.value)}>
          <option value="">let the session decide</option>
          {routes.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
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
            onInput={({ currentTarget }) => message.giveReason(currentTarget.value)}
          />
        </label>
      )}
    </>
  );
}

interface SendCheck {
  /** Null if nothing prevents sending, or while the check is pending. */
  readonly obstacle: Obstacle | null;
  readonly routes: readonly RouteChoice[];
}

/** Asks the hub in advance whether it would accept a message. If the check fails, sending reports the error. */
function useSendCheck({ id, turn, now }: OpenSession, isMine: boolean): SendCheck {
  const read = async (): Promise<SendCheck> => {
    const [{ can, code, why }, tools] = await Promise.all([
      callRead('can_send', { session_id: id }),
      isMine ? callRead('get_session', { session_id: id }).then((answer) => answer.tools) : [],
    ]);
    return { obstacle: can ? null : { code, why: why ?? 'the hub gave no reason' }, routes: routeChoices(tools) };
  };
  const { answer } = useRead(read, [id, turn?.agent_id, turn?.since_seq, isMine, now?.session.state]);
  return answer ?? { obstacle: null, routes: [] };
}
