/** The runs of a project leave the hub that served it: what its files show is gone on with in the project's own log. */

import { rename, stat } from 'node:fs/promises';
import { takeLock } from '../../../governed/files/lock.ts';
import { orFailure, RunnerRefusal } from '../../../governed/runner/contract/failure.ts';
import { meansOf } from '../../../governed/runner/log/runner-context.ts';
import type { RunnerFailure } from '../../../governed/runner/contract/types.ts';
import { LOCK_FOLDER, LOG_FOLDER, rootOf } from '../../../governed/runner/log/with-run.ts';
import { placeIn } from '../safe-place.ts';
import { readServedNote, removeServedNote } from '../../../governed/runner/served/served-note.ts';
import { noteTakenBack } from './taken-back.ts';

/** Not while the hub runs. The log that the project had before is kept beside the new one. */
export function takeBackRun(given: string): Promise<{ readonly ok: true } | RunnerFailure> {
  return orFailure(async () => {
    const root = await rootOf(given);
    const { clock, kept, ids } = meansOf();
    const locked = await takeLock(await placeIn(root, LOCK_FOLDER), { owner: kept.owner, clock, waitMs: 0 });
    if (!locked.ok) throw new RunnerRefusal('lock_timeout', `${locked.error}; stop the hub that serves it first`);
    try {
      const note = await readServedNote(root);
      if (note === null) throw new RunnerRefusal('not_served', `${root}: no hub has its runs`);
      const log = await placeIn(root, LOG_FOLDER);
      const isThere = await stat(log).then(
        () => true,
        () => false,
      );
      if (isThere) await rename(log, `${log}-before-${ids.hex32().slice(0, 8)}`);
      await noteTakenBack(root, note);
      await removeServedNote(root);
      return { ok: true };
    } finally {
      await locked.lock.release();
    }
  });
}
