/** What whoever may approve says to a governed run. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { GovernedPanelProps } from '../parts/governed/governed-panel.tsx';
import { say } from './compose/message-draft.ts';

export function runAnswers(sessionId: string): Required<Pick<GovernedPanelProps, 'onGateAnswer' | 'onBlockerAnswer'>> {
  const post = async (event_type: string, event_data: JsonObject): Promise<void> => {
    const outcome = await say(`${sessionId} ${event_type}`, { session_id: sessionId, event_type, event_data });
    if (!outcome.ok) throw new Error(outcome.reason);
  };
  return {
    onGateAnswer: ({ event_type, event_data }) => post(event_type, event_data),
    onBlockerAnswer: (note) => post('run.answered', { note, action: 'resume' }),
  };
}
