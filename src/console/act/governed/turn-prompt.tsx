/** What is asked of who must take a turn: the prompt and the context that were dispatched with it, as text. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Envelope } from '../../../core/records/session/envelope.ts';
import { callRead } from '../../connection/read-operations.ts';
import { toRunHistory } from '../../parts/governed/model/run-history.ts';
import { useWholeLog } from '../../session/reading/use-whole-log.ts';
import type { OpenSession } from '../../state/session/open-session.ts';
import { Said } from '../../text/untrusted-text.tsx';
import { askedAt, askedText } from './turn-due.ts';

/** A text of so many characters leaves room for the rest. */
const SHORT = 400;

export function TurnPrompt({ session, turnId }: { session: OpenSession; turnId: string }) {
  const { isKnown, seq } = useAskedAt(session, turnId);
  const envelope = useEnvelope(session, seq);
  if (envelope === null) {
    const isNothing = isKnown && seq === null;
    return <p class="dim">{isNothing ? 'Nothing was sent with this turn.' : 'Reading what is asked…'}</p>;
  }
  const text = askedText(envelope);
  return (
    <details class="turn-asked" open={text.length <= SHORT}>
      <summary>What is asked</summary>
      <div class="turn-asked-text" tabIndex={0} role="region" aria-label="What is asked">
        <Said text={text} />
      </div>
    </details>
  );
}

/** The part that is held knows it at once; of a turn that went out long ago all of the log does. */
function useAskedAt(session: OpenSession, turnId: string): { isKnown: boolean; seq: number | null } {
  const whole = useWholeLog(session);
  const { envelopes } = session.log;
  const held = useMemo(() => askedAt(toRunHistory(envelopes), turnId), [envelopes, turnId]);
  const isKnown = whole?.isWhole === true;
  return { isKnown, seq: (isKnown ? askedAt(whole.book, turnId) : null) ?? held };
}

/** Of the part of the log that is held, or read for it; anew when something was redacted. null = not here yet. */
function useEnvelope({ id, log, now }: OpenSession, seq: number | null): Envelope | null {
  const [read, setRead] = useState<Envelope | null>(null);
  const held = log.envelopes.find((one) => one.seq === seq) ?? null;
  const isMissing = seq !== null && held === null;
  const redactions = now?.redactions ?? 0;
  useEffect(() => {
    setRead(null);
    if (!isMissing) return;
    let counts = true;
    callRead('read_log', { session_id: id, from_seq: seq, limit: 1 }).then(
      ({ envelopes: [first] }) => counts && setRead(first ?? null),
      // Told where the connection is; what comes next asks again.
      () => {},
    );
    return () => {
      counts = false;
    };
  }, [id, seq, isMissing, redactions]);
  return held ?? (read?.seq === seq ? read : null);
}
