/** Where the turn goes with what is said, and why. */

import type { RouteChoice } from './compose/routes.ts';
import type { Speaking } from './compose/use-message-draft.ts';

/** As much as a session is closed with. */
const REASON_LENGTH = 256;

export function Then({ routes, speaking }: { routes: readonly RouteChoice[]; speaking: Speaking }) {
  const { route, reason } = speaking;
  return (
    <>
      <label class="field">
        <span>Then</span>
        <select value={route?.id ?? ''} onChange={({ currentTarget }) => speaking.choose(currentTarget.value)}>
          <option value="">as the session goes</option>
          {routes.map(({ id, words }) => (
            <option key={id} value={id}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {route?.takesReason === true && (
        <label class="field">
          <span>Because</span>
          <input
            autocomplete="off"
            maxLength={REASON_LENGTH}
            value={reason}
            onInput={({ currentTarget }) => speaking.giveReason(currentTarget.value)}
          />
        </label>
      )}
    </>
  );
}
