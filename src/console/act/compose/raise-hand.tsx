/** Bids for the next turn (raises the hand) with an urgency, or withdraws the bid. */

import { useRef, useState } from 'preact/hooks';
import { refusalOf } from '../../connection/write-operations.ts';
import { MAX_BID } from '../../state/session/raised-hands.ts';
import { Refusal } from '../../widgets/widgets.tsx';
import { sendMessage } from './message-draft.ts';

const DEFAULT_BID = 5;
const BIDS = Array.from({ length: MAX_BID }, (_, at) => at + 1);
const LABELS: Readonly<Record<number, string>> = { 1: '1: if there is time', [MAX_BID]: `${MAX_BID}: cannot wait` };

/** `up`: the current bid; 0 if the hand is down. */
export function RaiseHand({ sessionId, up }: { sessionId: string; up: number }) {
  const [bid, setBid] = useState(DEFAULT_BID);
  const [refusal, setRefusal] = useState<string | null>(null);
  const raise = useRef<HTMLButtonElement>(null);
  const wanted = useRef<number | null>(null);
  /** Posts one bid at a time. Of the bids chosen while one is pending, posts only the last. */
  const post = async (pressed: number): Promise<void> => {
    // Focus the button that stays: the pressed one may disappear.
    raise.current?.focus();
    const isPending = wanted.current !== null;
    wanted.current = pressed;
    if (isPending) return;
    for (let bid: number | null = null; bid !== wanted.current; ) {
      bid = wanted.current;
      const message = { session_id: sessionId, event_type: 'hand.raise', event_data: { bid } };
      setRefusal(await refusalOf(sendMessage(`${sessionId} hand`, message)));
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
              {LABELS[one] ?? one}
            </option>
          ))}
        </select>
      </label>
      <button ref={raise} type="button" onClick={() => void post(bid)}>
        Raise hand
      </button>
      {up > 0 && (
        <button type="button" onClick={() => void post(0)}>
          Lower hand
        </button>
      )}
      <span class="dim" role="status">
        {up > 0 && `Your hand is up: ${up}`}
      </span>
      <Refusal why={refusal} />
    </div>
  );
}
