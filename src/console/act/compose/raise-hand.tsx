/** A hand is raised for the next turn, more or less urgently, or taken down. */

import { useRef, useState } from 'preact/hooks';
import { MAX_BID } from '../../state/session/raised-hands.ts';
import { Refusal } from '../refusal.tsx';
import { sendMessage } from './message-draft.ts';

const USUAL = 5;
const BIDS = Array.from({ length: MAX_BID }, (_, at) => at + 1);
const WORDS: Readonly<Record<number, string>> = { 1: '1: if there is time', [MAX_BID]: `${MAX_BID}: it cannot wait` };

/** `up`: what one has bid; 0 = the hand is down. */
export function RaiseHand({ sessionId, up }: { sessionId: string; up: number }) {
  const [bid, setBid] = useState(USUAL);
  const [refusal, setRefusal] = useState<string | null>(null);
  const raise = useRef<HTMLButtonElement>(null);
  const wanted = useRef<number | null>(null);
  /** One after the other: what is pressed while another is on its way is posted after it, the last press alone. */
  const post = async (pressed: number): Promise<void> => {
    // The other button goes with what it was for.
    raise.current?.focus();
    const isOnItsWay = wanted.current !== null;
    wanted.current = pressed;
    if (isOnItsWay) return;
    for (let bid: number | null = null; bid !== wanted.current; ) {
      bid = wanted.current;
      const said = { session_id: sessionId, event_type: 'hand.raise', event_data: { bid } };
      const outcome = await sendMessage(`${sessionId} hand`, said);
      setRefusal(outcome.ok ? null : outcome.reason);
    }
    wanted.current = null;
  };
  return (
    <div class="hand-part">
      <label class="field">
        <span>How urgent</span>
        <select value={String(bid)} onChange={({ currentTarget }) => setBid(Number(currentTarget.value))}>
          {BIDS.map((one) => (
            <option key={one} value={String(one)}>
              {WORDS[one] ?? one}
            </option>
          ))}
        </select>
      </label>
      <button ref={raise} type="button" onClick={() => void post(bid)}>
        Raise hand
      </button>
      {up > 0 && (
        <button type="button" onClick={() => void post(0)}>
          Take it down
        </button>
      )}
      <span class="dim" role="status">
        {up > 0 && `Your hand is up: ${up}`}
      </span>
      <Refusal why={refusal} />
    </div>
  );
}
