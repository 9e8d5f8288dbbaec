/** An invite waits: accept it, or decline with a reason. */

import { useId, useState } from 'preact/hooks';
import './act.css';
import { attempt } from '../actions.ts';
import { answerInvite } from '../connection/link.ts';
import { Line } from '../text/shown.tsx';

export function InviteAnswer({ sessionId, onAnswered }: { sessionId: string; onAnswered: () => void }) {
  const id = useId();
  const [reason, setReason] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const answer = async (accepts: boolean): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setRefusal(null);
    const words = reason.trim();
    const outcome = accepts
      ? await attempt('ack_invite', { session_id: sessionId })
      : await attempt('reject_invite', { session_id: sessionId, reason: words === '' ? undefined : words });
    setBusy(false);
    if (!outcome.ok) return setRefusal(outcome.reason);
    // The client hears of it too: it keeps an invite open until it is answered.
    answerInvite(sessionId, accepts || { reject: words });
    document.getElementById('main')?.focus();
    onAnswered();
  };
  return (
    <section class="invite-answer" aria-label="Invite">
      <p>
        <strong>You are invited to this session.</strong>
      </p>
      <div class="invite-row">
        <button type="button" class="primary" disabled={isBusy} onClick={() => void answer(true)}>
          Accept
        </button>
        <label class="unseen" for={id}>
          Reason for declining
        </label>
        <input
          id={id}
          autocomplete="off"
          maxLength={128}
          placeholder="Reason, if you decline"
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <button type="button" disabled={isBusy} onClick={() => void answer(false)}>
          Decline
        </button>
      </div>
      <div role="alert">
        {refusal !== null && (
          <p class="refusal">
            <Line text={refusal} most={400} />
          </p>
        )}
      </div>
    </section>
  );
}
