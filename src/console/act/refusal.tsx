/** Why something was not done. Its place is always there, so that who hears the page is told when there is something in it. */

import { Line } from '../text/untrusted-text.tsx';

export function Refusal({ id, why }: { id?: string; why: string | null }) {
  return (
    <div id={id} role="alert">
      {why !== null && (
        <p class="refusal">
          <Line text={why} most={400} />
        </p>
      )}
    </div>
  );
}
