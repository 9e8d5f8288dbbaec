/** What an operator does with a participant: hide, remove, return. */

import { useState } from 'preact/hooks';
import type { LifecycleState, ParticipantStatus } from '../../core/records/session/session.ts';
import { attempt } from '../connection/write-operations.ts';
import { shortLine } from '../text/visible-text.ts';
import { AskDialog, type Choice } from './ask-dialog.tsx';
import { type OperatorAction, operatorActionsFor } from './permissions.ts';

interface Props {
  readonly sessionId: string;
  readonly state: LifecycleState;
  readonly agentId: string;
  readonly name: string;
  readonly status: ParticipantStatus;
  readonly isOffered: boolean;
}

const WORDS: Readonly<Record<OperatorAction, string>> = {
  hide: 'Hide',
  remove: 'Remove for good',
  return: 'Return',
};

const MEANINGS: Readonly<Record<OperatorAction, string>> = {
  hide: 'Hidden, one reads on, keeps the place and may not speak, until one is returned.',
  return: 'Returned, one may speak again.',
  remove:
    'Removed, one is out of this session for good: one hears nothing more, and cannot come back or be asked again.',
};

export function PersonActions({ sessionId, state, agentId, status, isOffered, ...person }: Props) {
  const [isOpen, setOpen] = useState(false);
  const treatments = operatorActionsFor(status, state);
  const name = shortLine(person.name, 40);
  // The button stays as long as the dialog does: it gets the focus back.
  if ((!isOffered || treatments.length === 0) && !isOpen) return null;
  return (
    <>
      <button type="button" class="quiet person-act" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <span aria-hidden="true">⋯</span>
        <span class="unseen">{`Act on ${name}`}</span>
      </button>
      {isOpen && (
        <AskDialog
          title={`${name} in this session`}
          choices={treatments.map((treatment) => choiceOf(treatment, sessionId, agentId))}
          onClose={() => setOpen(false)}
        >
          <ul class="dim">
            {treatments.map((treatment) => (
              <li key={treatment}>{MEANINGS[treatment]}</li>
            ))}
          </ul>
        </AskDialog>
      )}
    </>
  );
}

function choiceOf(treatment: OperatorAction, session_id: string, participant: string): Choice {
  return {
    words: WORDS[treatment],
    isMain: treatment === 'return',
    isFinal: treatment === 'remove',
    async run(words) {
      const reason = words === '' ? undefined : words;
      const outcome =
        treatment === 'return'
          ? await attempt('return_to_session', { session_id, participant })
          : await attempt(treatment === 'hide' ? 'hide_participant' : 'remove_participant', {
              session_id,
              participant,
              reason,
            });
      return outcome.ok ? null : outcome.reason;
    },
  };
}
