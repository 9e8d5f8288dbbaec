/** A governed run: its phases, gates, ledger and history. */

import { useMemo } from 'preact/hooks';
import { runAnswers } from '../act/run-answers.ts';
import { useMay } from '../act/use-permissions.ts';
import { whyNoAnswer } from '../act/governed/approval-obstacle.ts';
import { bookAt } from '../parts/governed/book-at.ts';
import { GovernedPanel } from '../parts/governed/governed-panel.tsx';
import { NO_BOOK } from '../parts/governed/model/run-history.ts';
import { useConsole } from '../state/use-store.ts';
import type { PanelProps } from './inspector/inspector.tsx';
import { namesIn } from '../state/session/open-session.ts';
import { useWholeLog } from './reading/use-whole-log.ts';

export function Governed({ session, state }: PanelProps) {
  const whole = useWholeLog(session);
  const all = whole?.book ?? NO_BOOK;
  const atSeq = session.replay?.atSeq ?? Number.POSITIVE_INFINITY;
  const book = useMemo(() => bookAt(all, atSeq), [all, atSeq]);
  const names = useMemo(() => Object.fromEntries(namesIn(state)), [state]);
  const may = useMay(session);
  const me = useConsole((one) => one.me);
  const isSilent = useConsole(({ readOnly }) => readOnly) || session.replay !== null;
  return (
    <>
      {whole?.isWhole !== true && <p class="dim">Reading the log from its beginning: #{all.seq}…</p>}
      <GovernedPanel
        publicState={state.public_state}
        config={state.session.knobs.config}
        book={book}
        names={names}
        whyNoAnswer={isSilent ? null : whyNoAnswer(me, state)}
        {...(may.approve ? runAnswers(session.id) : {})}
      />
    </>
  );
}
