/** What is under a transcript: where one speaks, or why one does not. */

import '../act/act.css';
import { useState } from 'preact/hooks';
import { attempt } from '../connection/write-operations.ts';
import type { OpenSession } from '../state/session/open-session.ts';
import { Line } from '../text/untrusted-text.tsx';
import { Composer } from '../act/composer.tsx';
import { handsIn } from '../state/session/raised-hands.ts';
import { HandPart } from '../act/compose/raise-hand.tsx';
import { turnDue } from '../act/governed/turn-due.ts';
import { TurnResult } from '../act/governed/turn-result.tsx';
import { silenceWords } from '../act/compose/turn-text.ts';
import { useMay } from '../act/use-permissions.ts';

export function TalkFoot({ session }: { session: OpenSession }) {
  const may = useMay(session);
  const { now } = session;
  if (now === null || session.replay !== null) return null;
  if (may.speak) {
    const hands = handsIn(now);
    const due = turnDue(now, may.place?.agent_id ?? '');
    if (due !== null) {
      return (
        <>
          <TurnResult session={session} due={due} config={now.session.knobs.config} />
          <details class="beside">
            <summary>Say something beside the turn</summary>
            <Composer session={session} may={may} isBeside />
          </details>
        </>
      );
    }
    return (
      <>
        <Composer session={session} may={may} />
        {hands !== null && <HandPart sessionId={session.id} up={hands.get(may.place?.agent_id ?? '') ?? 0} />}
      </>
    );
  }
  const words = silenceWords(may.place, now.session);
  if (words === null) return null;
  return (
    <p class="composer silence">
      {words} {may.comeBack && <ComeBack sessionId={session.id} />}
    </p>
  );
}

function ComeBack({ sessionId }: { sessionId: string }) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const run = async (): Promise<void> => {
    const outcome = await attempt('return_to_session', { session_id: sessionId });
    setRefusal(outcome.ok ? null : outcome.reason);
  };
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
