/** Says what was found when a data folder was opened: in the log for whoever watches, in the audit for whoever asks later. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { Log } from '../../core/ports/platform.ts';
import type { Store } from '../../core/ports/store.ts';
import { isoFromMs } from '../../core/time.ts';
import { systemClock } from '../../system/clock.ts';
import type { StoreRecovery } from '../../store/recover.ts';

export function reportRecovery(
  { torn, damages, damagedLogs, rebuilt, replayed, upgradedFrom }: StoreRecovery,
  store: Store,
  log: Log,
): void {
  const tell = (level: 'info' | 'warn' | 'error', message: string, kind: string, detail: JsonObject): void => {
    log[level](message, detail);
    store.audit({ at: isoFromMs(systemClock.now()), kind, actor: null, session_id: null, detail });
  };
  if (torn !== null && torn.bytes > 0) {
    const { at, bytes } = torn;
    const detail = { segment: at.segment, offset: at.offset, bytes };
    tell('warn', 'a last write was torn and cut; nothing in it had been acknowledged', 'store.torn', detail);
  }
  for (const { from, to, logIds, unknown } of damages) {
    const place = { segment: from.segment, from: from.offset, to_segment: to.segment, to: to.offset };
    const detail = { ...place, logs: [...logIds], others: unknown };
    tell('error', 'the journal is damaged; the sessions it touches are unavailable', 'store.damaged', detail);
  }
  for (const { log_id, damaged_from } of damagedLogs) {
    tell('error', 'a log is damaged; it reads up to there and needs repair', 'log.damaged', { log_id, damaged_from });
  }
  if (upgradedFrom !== null)
    log.info('the data folder was upgraded; a copy of it is beside it', { format: upgradedFrom });
  if (rebuilt) log.info('the index was built anew from the journal', { records: replayed });
}
