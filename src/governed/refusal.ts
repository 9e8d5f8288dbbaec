/** How an operation of a run ends: it changed something, or it is refused with a type, a code and a sentence. */

import type { EventDraft } from './events/draft.ts';
import type { RunState } from './run/state.ts';

export type RefusalType =
  | 'invalid_config'
  | 'invalid_state_transition'
  | 'immutable_field'
  | 'turn_already_accepted'
  | 'turn_not_active'
  | 'duplicate_decision_id'
  | 'override_validation_failed'
  | 'artifact_mismatch'
  | 'conflict';

export interface Refused {
  readonly ok: false;
  /** What kind of refusal it is, in the corpus's words. */
  readonly error_type: RefusalType;
  /** Why exactly. */
  readonly error_code: string;
  readonly detail: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The next state, and what happened on the way to it, in order. */
export interface Changed {
  readonly ok: true;
  readonly state: RunState;
  readonly events: readonly EventDraft[];
}

export function refuse(
  error_type: RefusalType,
  error_code: string,
  detail: string,
  params: Readonly<Record<string, unknown>> = {},
): Refused {
  return { ok: false, error_type, error_code, detail, params };
}
