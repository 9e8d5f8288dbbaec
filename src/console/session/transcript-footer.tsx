/** Shows the composer below the transcript, or why the person cannot send. */

import '../act/act.css';
import { useState } from 'preact/hooks';
import { Composer } from '../act/compose/composer.tsx';
import { RaiseHand } from '../act/compose/raise-hand.tsx';
import { silenceText } from '../act/compose/turn-text.ts';
import { turnDue } from '../act/governed/turn-due.ts';
import { TurnResult } from '../act/governed/turn-result.tsx';
import { usePermissions } from '../act/permissions.ts';
import { attempt, refusalOf } from '../connection/write-operations.ts';
import type { OpenSession } from '../state/session/open-session.ts';
import { raisedHands } from '../state/session/raised-hands.ts';
import { Line } from '../text/untrusted-text.tsx';

export function TranscriptFooter({ session }: { session: OpenSession }) {
  const may = usePermissions(session);
  const { now } = session;
  if (now === null || session.replay !== null) return null;
  if (may.speak) {
    const hands = raisedHands(now);
    const due = turnDue(now, may.place?.agent_id ?? '');
    if (due !== null) {
      return (
        <>
          <TurnResult session={session} due={due} config={now.session.knobs.config} />
          <details class="beside">
            <summary>Send a message outside the turn</summary>
            <Composer session={session} may={may} isBeside />
          </details>
        </>
      );
    }
    return (
      <>
        <Composer session={session} may={may} />
        {hands !== null && <RaiseHand sessionId={session.id} up={hands.get(may.place?.agent_id ?? '') ?? 0} />}
      </>
    );
  }
  const text = silenceText(may.place, now.session);
  if (text === null) return null;
  return (
    <p class="composer silence">
      {text} {may.comeBack && <ComeBack sessionId={session.id} />}
    </p>
  );
}

function ComeBack({ sessionId }: { sessionId: string }) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const run = async (): Promise<void> =>
    setRefusal(await refusalOf(attempt('return_to_session', { session_id: sessionId })));
  return (
    <>
      <button type="button" onClick={() => void run()}>
        Come back
      </button>
      {refusal !== null && (
        <span class="refusal" role="alert">
          <Line text={refusal} most={400} />
        </span>
      )}
    </>
  );
}
