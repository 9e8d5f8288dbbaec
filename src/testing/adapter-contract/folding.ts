/** Checks that an adapter folds every possible envelope, and only the types it knows. */

import assert from 'node:assert/strict';
import { type Draft, hubDraft } from '../../core/records/session/envelope.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';
import { foldEnvelope, type SessionState } from '../../core/state/state.ts';
import { assertJson, assertReturned, doing } from '../lib/assertions.ts';
import { draftOf, stamped } from '../lib/history.ts';
import { callsOf } from '../lib/recording.ts';
import { allCalls, allPositions, type Trial } from './trial.ts';

export function foldIsTotal(trial: Trial): void {
  for (const call of callsOf(allCalls(trial), 'fold')) assertReturned(call);
  for (const position of allPositions(trial)) {
    for (const draft of changesOfParticipants(position.metadata)) {
      assertJson(foldNext(trial, position, draft), `the state after ${draft.event_type}`);
    }
  }
}

export function unknownTypesChangeNothing(trial: Trial): void {
  const { folds = [] } = trial.options;
  const unknown = ['x.unknown', 'msg.unheard-of', 'hand.raise'].filter((type) => !folds.includes(type));
  const event_data = { text: 'never mind', bid: 9 };
  for (const position of allPositions(trial)) {
    for (const event_type of unknown) {
      for (const { agent_id } of position.metadata.participants) {
        const after = foldNext(trial, position, draftOf(agent_id, { event_type, event_data }));
        const message = `"${event_type}" changed the state; name it in the option "folds" if it should`;
        assert.deepStrictEqual(after, position.adapter_state, message);
      }
    }
  }
}

/** Every participant change the hub can log, including repeated changes and those of an unknown participant. */
function changesOfParticipants({ session_id, participants }: SessionMetadata): readonly Draft[] {
  const newcomer = { agent_id: 'id-newcomer', name: 'newcomer', role: 'participant', order: participants.length };
  const everybody = [...participants, newcomer];
  const active = everybody.map(({ agent_id }) => agent_id);
  return [
    hubDraft(session_id, 'session.opened', { active }),
    ...everybody.flatMap(({ agent_id, name, role, order }) => [
      hubDraft(session_id, 'session.participant.joined', { agent_id, name, role, order }),
      hubDraft(session_id, 'session.participant.hidden', { agent_id }),
      hubDraft(session_id, 'session.participant.returned', { agent_id }),
      hubDraft(session_id, 'session.participant.removed', { agent_id, reason: 'gone' }),
    ]),
  ];
}

function foldNext({ adapter }: Trial, position: SessionState, draft: Draft): unknown {
  const envelope = stamped(draft, position);
  const after = doing(`folding "${draft.event_type}"`, () => foldEnvelope(position, envelope, { adapter, epoch: 1 }));
  return after.adapter_state;
}
