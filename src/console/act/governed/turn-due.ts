/** Finds the governed turn that waits for this person's result, and the template of that result. Pure. */

import type { JsonObject } from '../../../core/lib/json.ts';
import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';
import type { Envelope } from '../../../core/records/session/envelope.ts';
import { REDACTED_TEXT } from '../../../core/records/session/redaction.ts';
import { getOwn, textOr } from '../../lib/unknown-record.ts';
import type { RunHistory } from '../../parts/governed/model/run-history.ts';
import { toRunModel } from '../../parts/governed/model/run-model.ts';

export interface TurnDue {
  readonly turn_id: string;
  readonly role: string;
  readonly attempt: number;
  readonly run_id: string | null;
}

const AT_WORK = ['dispatched', 'starting', 'running'];

/** The oldest active turn of this person; null if there is none. */
export function turnDue({ session, public_state }: SessionStateAt, me: string): TurnDue | null {
  if (session.manifest.type !== 'governed') return null;
  const { turns, run_id, status } = toRunModel(public_state);
  if (status !== 'active') return null;
  const due = turns.find((turn) => turn.holder === me && !turn.is_handed_in && AT_WORK.includes(turn.status));
  return due === undefined ? null : { turn_id: due.turn_id, role: due.role, attempt: due.attempt, run_id };
}

/** The seq of the latest dispatch of the turn; null if none is known. */
export function askedAt({ asked }: RunHistory, turnId: string): number | null {
  return asked.findLast(({ turn_id }) => turn_id === turnId)?.seq ?? null;
}

/** The prompt of a turn, followed by its context. */
export function askedText({ event_data, redacted }: Envelope): string {
  if (redacted !== undefined) return REDACTED_TEXT;
  return [event_data.prompt, event_data.context].filter((text) => typeof text === 'string' && text !== '').join('\n\n');
}

/** The fields that every result needs. */
export function resultTemplate({ turn_id, role, run_id }: TurnDue, config: unknown): JsonObject {
  return {
    schema_version: '1.0',
    run_id,
    turn_id,
    role,
    runtime_id: textOr(getOwn(getOwn(getOwn(config, 'roles'), role), 'runtime'), null),
    status: 'completed',
    summary: '',
    decisions: [],
    objections: [],
    files_changed: [],
    verification: { status: 'skipped' },
    artifact: { type: 'review' },
    proposed_next_role: 'human',
  };
}
