/** Accepts an invite, or declines it with a reason. */

import { useId, useState } from 'preact/hooks';
import '../act.css';
import { nameOf } from '../../../core/records/session/session.ts';
import { answerInvite } from '../../connection/hub-client.ts';
import { callRead } from '../../connection/read-operations.ts';
import { useRead } from '../../connection/use-read.ts';
import { attempt } from '../../connection/write-operations.ts';
import { Line } from '../../text/untrusted-text.tsx';
import { LineIn, Refusal } from '../../widgets/widgets.tsx';

export function InviteAnswer({ sessionId }: { sessionId: string }) {
  const id = useId();
  const [reason, setReason] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const answer = async (accepts: boolean): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setRefusal(null);
    const text = reason.trim();
    const outcome = accepts
      ? await attempt('ack_invite', { session_id: sessionId })
      : await attempt('reject_invite', { session_id: sessionId, reason: text || undefined });
    setBusy(false);
    if (!outcome.ok) return setRefusal(outcome.reason);
    // Tell the client too: it keeps the invite open until it is answered.
    answerInvite(sessionId, accepts || { reject: text });
    document.getElementById('main')?.focus();
  };
  return (
    <section class="invite-answer" aria-label="Invite">
      <Invited sessionId={sessionId} />
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
          placeholder="Reason (if you decline)"
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <button type="button" disabled={isBusy} onClick={() => void answer(false)}>
          Decline
        </button>
      </div>
      <Refusal why={refusal} />
    </section>
  );
}

/** Shows the description and the participants, all that an invitee may read. */
function Invited({ sessionId }: { sessionId: string }) {
  const { answer } = useRead(() => callRead('get_session', { session_id: sessionId }), [sessionId]);
  const session = answer?.session ?? null;
  if (session === null) return <p>You are invited to this session.</p>;
  const { manifest, creator_id, participants, labels } = session;
  return (
    <>
      <p>
        <LineIn tag="strong" text={nameOf(session, creator_id)} most={60} /> invites you to a session of type{' '}
        <Line text={manifest.type} most={60} />, with{' '}
        <Line text={participants.map(({ name }) => name).join(', ')} most={200} />.
      </p>
      {labels.intent !== undefined && <LineIn tag="p" text={labels.intent} most={240} />}
    </>
  );
}
