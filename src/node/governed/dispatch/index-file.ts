/** dispatch/index.json: which turns are out, and where their files are. Made from the state alone; the log wins. */

import { bundleFolder, DISPATCH_INDEX } from '../../../governed/engine/dispatch/paths.ts';
import { getTurnStagingResultPath, type RunState } from '../../../governed/index.ts';
import { placeIn } from '../safe-place.ts';
import { asText, readWhole, writeWhole } from '../whole-file.ts';

export async function writeDispatchIndex(root: string, state: RunState): Promise<void> {
  const turns = Object.values(state.active_turns).map((turn) => [
    turn.turn_id,
    {
      role: turn.assigned_role,
      runtime_id: turn.runtime_id,
      status: turn.status,
      attempt: turn.attempt,
      deadline_at: turn.deadline_at,
      bundle_path: bundleFolder(turn.turn_id),
      staging_result_path: getTurnStagingResultPath(turn.turn_id),
    },
  ]);
  const { run_id, phase } = state;
  const index = { schema_version: '1.0', run_id, phase, active_turns: Object.fromEntries(turns) };
  const place = await placeIn(root, DISPATCH_INDEX);
  const text = asText(index);
  if ((await readWhole(place)) !== text) await writeWhole(place, text);
}
