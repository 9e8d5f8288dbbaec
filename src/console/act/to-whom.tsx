/** To whom something is said: everybody, or those who are named. */

import { Line } from '../text/untrusted-text.tsx';
import { type Hearer, hearerName, toWords } from './compose/recipients.ts';

interface Props {
  readonly hearers: readonly Hearer[];
  /** Their ids; none = everybody. */
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

export function ToWhom({ hearers, chosen, onChoose }: Props) {
  const toggle = (id: string): void =>
    onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <details class="to-whom">
      <summary>
        <Line text={toWords(hearers, chosen)} most={80} />
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
            <Line text={hearerName(one)} most={40} />
          </label>
        ))}
      </fieldset>
    </details>
  );
}
