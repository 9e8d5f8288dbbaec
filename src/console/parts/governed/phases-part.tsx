/** The phases of a run in a row; the one it is in is lit. Behind each stands its gate. */

import type { VNode } from 'preact';
import { fittingText } from '../../text/fitting-text.ts';
import { shortText } from '../../text/visible-text.ts';
import { Badge } from './badge.tsx';
import type { GateShown, PhaseShown } from './model/phase-model.ts';

const STATUS_WORDS = { done: 'done', current: 'now', ahead: 'ahead' } as const;

export function PhasesPart({ phases }: { readonly phases: readonly PhaseShown[] }): VNode {
  return (
    <ol class="run-phases" aria-label="Phases">
      {phases.map(({ name, status, gate }) => (
        <li
          key={name}
          class={`run-phase run-phase-${status}`}
          {...(status === 'current' ? { 'aria-current': 'step' as const } : {})}
        >
          <span>
            {shortText(name)} <small>({STATUS_WORDS[status]})</small>
          </span>
          {gate !== null && <Gate gate={gate} />}
        </li>
      ))}
    </ol>
  );
}

function Gate({ gate }: { readonly gate: GateShown }): VNode {
  const { name, status, asks } = gate;
  return (
    <small>
      gate {shortText(name)} <Badge word={status} />
      {asks.length > 0 && <span class="run-quiet">{` ${fittingText(`needs ${asks.join('; ')}`, 160).text}`}</span>}
    </small>
  );
}
