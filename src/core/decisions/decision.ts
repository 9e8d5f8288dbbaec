/** Defines the result of a decision, and the unit that its drafts become. */

import type { WireError } from '../lib/errors.ts';
import type { Draft } from '../records/session/envelope.ts';
import type { Entry } from '../records/session/unit.ts';
import type { SessionState } from '../state/state.ts';

export interface AppliedUnit {
  readonly entries: readonly Entry[];
  readonly after: SessionState;
}

/** Drafts to append with their answer, an answer without effect, or a refusal. */
export type Decision<T> =
  | { readonly kind: 'append'; readonly drafts: readonly Draft[]; answer(advanced: AppliedUnit): T }
  | { readonly kind: 'nothing'; readonly answer: T }
  | { readonly kind: 'refuse'; readonly error: WireError };

export function refuse(error: WireError): { readonly kind: 'refuse'; readonly error: WireError } {
  return { kind: 'refuse', error };
}
