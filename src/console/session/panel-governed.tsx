/** A governed run: its phases, gates, ledger and history. */

import { useMemo } from 'preact/hooks';
import type { StateAt } from '../../core/console-operations.ts';
import { runAnswers } from '../act/run-answers.ts';
import { useMay } from '../act/use-may.ts';
import { GovernedPanel } from '../parts/governed/governed-panel.tsx';
import { bookOf } from '../parts/governed/run-book.ts';
import type { PanelProps } from './inspector.tsx';
import { namesIn } from './open-session.ts';

export function isGoverned({ session: { manifest } }: StateAt): boolean {
  return manifest.type === 'governed';
}

export function Governed({ session, state }: PanelProps) {
  const { envelopes } = session.replay?.log ?? session.log;
  const book = useMemo(() => bookOf(envelopes), [envelopes]);
  const names = useMemo(() => Object.fromEntries(namesIn(state)), [state]);
  const may = useMay(session);
  return (
    <GovernedPanel
      publicState={state.public_state}
      config={state.session.knobs.config}
      book={book}
      names={names}
      {...(may.approve ? runAnswers(session.id) : {})}
    />
  );
}
