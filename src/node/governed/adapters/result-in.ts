/** The turn result in what somebody answered: an object as it is, or JSON in a text. */

import { objectIn } from '../../../core/json-in-text.ts';
import type { TurnResult } from '../../../governed/index.ts';
import { isFilled, isMissing, isRecord, type Unknowns } from '../../../governed/engine/lib/unknown-record.ts';
import { REQUIRED_FIELDS } from '../../../governed/engine/turn-result/result.ts';
import { refuse } from '../../../governed/drivers/attempt/failure.ts';

/** null = there is none. A result names the version of its schema; whatever else is JSON is something else. */
export function resultIn(said: unknown): Unknowns | null {
  const found = typeof said === 'string' ? objectIn(said) : said;
  return isRecord(found) && isFilled(found.schema_version) ? found : null;
}

export function missingFields(result: Unknowns): readonly string[] {
  return REQUIRED_FIELDS.filter((name) => isMissing(result[name]));
}

/** What was collected, as the run will judge it. */
export function collected(data: unknown): TurnResult {
  if (!isRecord(data)) return refuse('invalid_result', 'expected a turn result, an object');
  // A claim: the stages of the run look at every member.
  return data as unknown as TurnResult;
}
