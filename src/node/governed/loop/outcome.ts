/** What a dispatch has answered, read as what came from outside. */

import { isFilled, isMissing, isRecord, type Unknowns } from '../../../governed/engine/lib/unknown-record.ts';
import type { BlockDetails } from '../../../governed/runner/contract/types.ts';

export type Outcome =
  | { readonly kind: 'result'; readonly result: Unknowns }
  /** It is in the staged file. */
  | { readonly kind: 'staged' }
  | { readonly kind: 'rejected'; readonly reason: string; readonly errors: readonly string[] }
  | { readonly kind: 'blocked'; readonly details: Omit<BlockDetails, 'turnId'> }
  /** No answer at all. */
  | { readonly kind: 'unusable'; readonly problem: string };

export function outcomeOf(answer: unknown, role: string): Outcome {
  if (!isRecord(answer)) return { kind: 'unusable', problem: `expected an object with accept, got ${inWords(answer)}` };
  if (answer.accept === true) return acceptedWith(answer);
  if (answer.accept !== false) {
    return { kind: 'unusable', problem: `accept: expected true or false, got ${inWords(answer.accept)}` };
  }
  const reason = isFilled(answer.reason) ? answer.reason : 'the dispatch gave no reason';
  if (answer.blocked === true) return blockedBy(answer, reason, role);
  const { errors } = answer;
  return { kind: 'rejected', reason, errors: Array.isArray(errors) ? errors.filter(isFilled) : [] };
}

function acceptedWith({ turnResult }: Unknowns): Outcome {
  if (isMissing(turnResult)) return { kind: 'staged' };
  if (isRecord(turnResult) && isClaim(turnResult)) return { kind: 'result', result: turnResult };
  const expected = 'schema_version, one of run_id and turn_id, and one of status, role and runtime_id';
  return { kind: 'rejected', reason: `turnResult: expected an object with ${expected}`, errors: [] };
}

/** So much at least tells a result from something else; the rest is for the stages. */
function isClaim({ schema_version, run_id, turn_id, status, role, runtime_id }: Unknowns): boolean {
  const isThere = (value: unknown): boolean => !isMissing(value) && value !== '';
  return isThere(schema_version) && [run_id, turn_id].some(isThere) && [status, role, runtime_id].some(isThere);
}

function blockedBy({ blockedOn, category, recovery }: Unknowns, reason: string, role: string): Outcome {
  const details = {
    blockedOn: isFilled(blockedOn) ? blockedOn : `dispatch:${role}`,
    category: isFilled(category) ? category : 'dispatch_error',
    recovery: {
      detail: reason,
      ...(isFilled(recovery) ? { recovery_action: recovery } : isRecord(recovery) ? recovery : {}),
    },
  };
  return { kind: 'blocked', details };
}

function inWords(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
}
