/** Renders the panel of a governed run: phases, gates, ledger and history. */

import { useMemo } from 'preact/hooks';
import type { JsonObject } from '../../../core/lib/json.ts';
import { sendMessage } from '../../act/compose/message-draft.ts';
import { approvalObstacle, usePermissions } from '../../act/permissions.ts';
import { refusalOf } from '../../connection/write-operations.ts';
import { GovernedPanel, type GovernedPanelProps } from '../../parts/governed/governed-panel.tsx';
import { EMPTY_HISTORY, historyAt } from '../../parts/governed/model/run-history.ts';
import { namesFrom } from '../../state/session/open-session.ts';
import { useConsole } from '../../state/use-store.ts';
import { useWholeLog } from '../reading/use-whole-log.ts';
import type { PanelProps } from './panels.tsx';

export function Governed({ session, state }: PanelProps) {
  const whole = useWholeLog(session);
  const all = whole?.book ?? EMPTY_HISTORY;
  const atSeq = session.replay?.atSeq ?? Number.POSITIVE_INFINITY;
  const book = useMemo(() => historyAt(all, atSeq), [all, atSeq]);
  const names = useMemo(() => Object.fromEntries(namesFrom(state)), [state]);
  const may = usePermissions(session);
  const me = useConsole((one) => one.me);
  const isSilent = useConsole(({ readOnly }) => readOnly) || session.replay !== null;
  return (
    <>
      {whole?.isWhole !== true && <p class="dim">Loading the whole log: #{all.seq}…</p>}
      <GovernedPanel
        publicState={state.public_state}
        config={state.session.knobs.config}
        book={book}
        names={names}
        approvalObstacle={isSilent ? null : approvalObstacle(me, state)}
        {...(may.approve ? runAnswers(session.id) : {})}
      />
    </>
  );
}

function runAnswers(sessionId: string): Required<Pick<GovernedPanelProps, 'onGateAnswer' | 'onBlockerAnswer'>> {
  const post = async (event_type: string, event_data: JsonObject): Promise<void> => {
    const message = { session_id: sessionId, event_type, event_data };
    const refusal = await refusalOf(sendMessage(`${sessionId} ${event_type}`, message));
    if (refusal !== null) throw new Error(refusal);
  };
  return {
    onGateAnswer: ({ event_type, event_data }) => post(event_type, event_data),
    onBlockerAnswer: (note) => post('run.answered', { note, action: 'resume' }),
  };
}
