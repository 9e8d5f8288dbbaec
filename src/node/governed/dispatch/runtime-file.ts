/** What comes about while a turn is out: requests, logs, budgets. Never in the bundle, which is sealed. */

import { runtimeFolder } from '../../../governed/engine/dispatch/paths.ts';
import { type NotDone, orRefusal } from '../refusal.ts';
import { checkTurnId, placeIn } from '../safe-place.ts';
import { writeWhole } from '../whole-file.ts';

export function writeRuntimeFile(
  root: string,
  turnId: string,
  name: string,
  content: string | Uint8Array,
): Promise<{ readonly ok: true; readonly path: string } | NotDone> {
  return orRefusal(async () => {
    checkTurnId(turnId);
    const path = `${runtimeFolder(turnId)}/${name}`;
    await writeWhole(await placeIn(root, path), content);
    return { ok: true, path };
  });
}
