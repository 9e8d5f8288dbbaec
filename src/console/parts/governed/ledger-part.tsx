/** What was decided, and what of it still stands. */

import type { VNode } from 'preact';
import { longText, shortText } from '../../text/visible-text.ts';
import { useShownPart } from './shown-part.tsx';
import type { Decision } from './model/accepted-turn.ts';

export function LedgerPart({ decisions }: { readonly decisions: readonly Decision[] }): VNode {
  const { shown, more } = useShownPart(decisions, 'decisions');
  return (
    <>
      <h3>Ledger</h3>
      {decisions.length === 0 && <p class="run-quiet">Nothing was decided yet.</p>}
      <ul class="run-list">
        {shown.map((one) => (
          <li key={one.id}>
            <span class={one.overridden_by === null ? '' : 'run-overridden'}>
              <strong>{shortText(one.id)}</strong> {longText(one.statement)}
            </span>
            <p class="run-quiet">{longText(aboutOf(one))}</p>
            {one.rationale !== '' && <p class="run-quiet">{longText(one.rationale)}</p>}
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}

function aboutOf({ category, role, turn_id, outlivesRun, overrides, overridden_by }: Decision): string {
  return [
    category,
    overridden_by === null ? 'stands' : `overridden by ${overridden_by}`,
    ...(overrides === null ? [] : [`overrides ${overrides}`]),
    ...(outlivesRun ? ['outlives the run'] : []),
    ...(role === null ? [] : [`by ${role}`]),
    ...(turn_id === null ? [] : [`in ${turn_id}`]),
  ].join(', ');
}
