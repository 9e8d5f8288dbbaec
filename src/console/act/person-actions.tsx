/** Renders an operator's actions on a participant: hide, remove, return. */

import { useState } from 'preact/hooks';
import type { LifecycleState, Participant } from '../../core/records/session/session.ts';
import { attempt, refusalOf } from '../connection/write-operations.ts';
import { shortLine } from '../text/visible-text.ts';
import { AskDialog, type Choice } from './ask-dialog.tsx';
import { type OperatorAction, operatorActionsFor } from './permissions.ts';

interface Props {
  readonly sessionId: string;
  readonly state: LifecycleState;
  readonly participant: Participant;
  readonly isOffered: boolean;
}

const MEANINGS: Readonly<Record<OperatorAction, string>> = {
  hide: 'Hide: the participant can still read, but not send, until returned.',
  return: 'Return: the participant can send again.',
  remove: 'Remove for good: the participant receives nothing more and cannot come back or be invited again.',
};

export function PersonActions({ sessionId, state, participant, isOffered }: Props) {
  const [isOpen, setOpen] = useState(false);
  const actions = operatorActionsFor(participant.status, state);
  const name = shortLine(participant.name, 40);
  // Keep the button while the dialog is open: closing the dialog returns the focus to it.
  if ((!isOffered || actions.length === 0) && !isOpen) return null;
  return (
    <>
      <button type="button" class="quiet person-act" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <span aria-hidden="true">⋯</span>
        <span class="unseen">{`Actions for ${name}`}</span>
      </button>
      {isOpen && (
        <AskDialog
          title={`${name} in this session`}
          choices={actions.map((action) => choiceOf(action, sessionId, participant.agent_id))}
          onClose={() => setOpen(false)}
        >
          <ul class="dim">
            {actions.map((action) => (
              <li key={action}>{MEANINGS[action]}</li>
            ))}
          </ul>
        </AskDialog>
      )}
    </>
  );
}

function choiceOf(action: OperatorAction, session_id: string, participant: string): Choice {
  const act = (text: string): ReturnType<typeof attempt> => {
    const reason = text || undefined;
    if (action === 'return') return attempt('return_to_session', { session_id, participant });
    return attempt(`${action}_participant`, { session_id, participant, reason });
  };
  const run = (reason: string): Promise<string | null> => refusalOf(act(reason));
  if (action === 'hide') return { label: 'Hide', run };
  return action === 'remove'
    ? { label: 'Remove for good', look: 'danger', run }
    : { label: 'Return', look: 'primary', run };
}
