/** Shows the prompt and context that were dispatched with a turn. */

import { useMemo } from 'preact/hooks';
import type { Envelope } from '../../../core/records/session/envelope.ts';
import { callRead } from '../../connection/read-operations.ts';
import { useRead } from '../../connection/use-read.ts';
import { toRunHistory } from '../../parts/governed/model/run-history.ts';
import { useWholeLog } from '../../session/reading/use-whole-log.ts';
import type { OpenSession } from '../../state/session/open-session.ts';
import { Said } from '../../text/untrusted-text.tsx';
import { askedAt, askedText } from './turn-due.ts';

/** A longer prompt starts collapsed, to leave room for the result. */
const MAX_OPEN_LENGTH = 400;

export function TurnPrompt({ session, turnId }: { session: OpenSession; turnId: string }) {
  const { isKnown, seq } = usePromptSeq(session, turnId);
  const envelope = useEnvelope(session, seq);
  if (envelope === null) {
    const hasNone = isKnown && seq === null;
    return <p class="dim">{hasNone ? 'This turn has no prompt.' : 'Loading the prompt…'}</p>;
  }
  const text = askedText(envelope);
  return (
    <details class="turn-asked" open={text.length <= MAX_OPEN_LENGTH}>
      <summary>Prompt</summary>
      <div class="turn-asked-text" tabIndex={0} role="region" aria-label="Prompt">
        <Said text={text} />
      </div>
    </details>
  );
}

/** Finds the prompt in the loaded part of the log, or for an old turn in the whole log. */
function usePromptSeq(session: OpenSession, turnId: string): { isKnown: boolean; seq: number | null } {
  const whole = useWholeLog(session);
  const { envelopes } = session.log;
  const held = useMemo(() => askedAt(toRunHistory(envelopes), turnId), [envelopes, turnId]);
  const isKnown = whole?.isWhole === true;
  return { isKnown, seq: (isKnown ? askedAt(whole.book, turnId) : null) ?? held };
}

/** Takes the envelope from the loaded log, else reads it from the hub, again after a redaction. Null until loaded. */
function useEnvelope({ id, log, now }: OpenSession, seq: number | null): Envelope | null {
  const held = log.envelopes.find((one) => one.seq === seq) ?? null;
  const missing = held === null ? seq : null;
  const read = async (): Promise<Envelope | null> => {
    if (missing === null) return null;
    const { envelopes } = await callRead('read_log', { session_id: id, from_seq: missing, limit: 1 });
    return envelopes[0] ?? null;
  };
  const { answer } = useRead(read, [id, missing, now?.redactions ?? 0]);
  return held ?? (answer?.seq === seq ? answer : null);
}
