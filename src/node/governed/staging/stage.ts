/** Hands in a result for a turn: whoever looks sees all of it or nothing. */

import { getTurnStagingResultPath } from '../../../governed/index.ts';
import { type NotDone, orRefusal } from '../refusal.ts';
import { checkTurnId, placeIn } from '../safe-place.ts';
import { asText, writeWhole } from '../whole-file.ts';

export function stageResult(
  root: string,
  turnId: string,
  result: unknown,
): Promise<{ readonly ok: true; readonly path: string } | NotDone> {
  return orRefusal(async () => {
    checkTurnId(turnId);
    const path = getTurnStagingResultPath(turnId);
    await writeWhole(await placeIn(root, path), asText(result));
    return { ok: true, path };
  });
}
