/** Why something was not done or cannot be shown. */

import { Line } from './text/untrusted-text.tsx';

/** The element exists even without a reason, so that screen readers announce one when it appears. */
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

/** In place of what could not be read. */
export function Failure({ title, why }: { title?: string; why: string }) {
  return (
    <p class="refusal" role="alert">
      {title !== undefined && `${title}: `}
      <Line text={why} most={400} />
    </p>
  );
}
