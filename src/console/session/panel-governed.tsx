/** A governed run: its phases, gates, ledger and history. */

import { useMemo } from 'preact/hooks';
import { runAnswers } from '../act/run-answers.ts';
import { useMay } from '../act/use-may.ts';
import { whyNoAnswer } from '../act/why-no-answer.ts';
import { bookAt } from '../parts/governed/book-at.ts';
import { GovernedPanel } from '../parts/governed/governed-panel.tsx';
import { NO_BOOK } from '../parts/governed/run-book.ts';
import { useConsole } from '../use-store.ts';
import type { PanelProps } from './inspector.tsx';
import { namesIn } from './open-session.ts';
import { useWholeLog } from './read-whole.ts';

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
