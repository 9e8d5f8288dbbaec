/** A sample store, and everything visible in it. */

import type { HeadToken, Store } from '../../src/core/ports/store.ts';
import type { Entry } from '../../src/core/records/session/unit.ts';
import { createdUnit, hubUnit, textUnit } from '../support/sample-records.ts';
import { durably } from './contract/read-store.ts';

export const AN_HOUR_LATER = '2026-01-01T01:00:00.000Z';

/** Sessions 1 to `count`, each with `said` units, interleaved; every second one has ended. */
export async function fill(store: Store, count: number, said = 4, prefix = ''): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, i) => sessionId(`${prefix}${i + 1}`));
  const tokens = new Map<string, HeadToken | null>(ids.map((id) => [id, null]));
  const append = async (id: string, unit: ReturnType<typeof textUnit>) => {
    tokens.set(id, await durably(store, id, tokens.get(id) ?? null, unit));
  };
  for (const id of ids) await append(id, createdUnit(id));
  for (let i = 0; i < said; i++) {
    await Promise.all(ids.map((id) => append(id, textUnit(id, 2 + 2 * i, 2))));
    await store.saveCursors([{ agent_id: 'bob', session_id: ids[0] ?? '', epoch: 1, seq: 1 + 2 * i, beyond: [] }]);
    store.audit({
      at: AN_HOUR_LATER,
      kind: 'round',
      actor: null,
      session_id: null,
      detail: { round: `${prefix}${i}` },
    });
  }
  await Promise.all(
    ids
      .filter((_, i) => i % 2 === 0)
      .map((id) => append(id, hubUnit(id, 2 + 2 * said, 'session.closed', { reason: 'done' }))),
  );
  return ids;
}

/** 32 hex digits, as the hub makes them. */
export function sessionId(name: string): string {
  return Buffer.from(name).toString('hex').padStart(32, '0');
}

export async function picture(store: Store): Promise<object> {
  const { heads } = await store.list({ limit: 1000 });
  const sessions: { id: string; epoch: number; state: string; damaged: number | null; log: readonly Entry[] }[] = [];
  for (const { head, epoch, damaged_from } of heads) {
    const log = await store.read(head.session_id, { from_seq: 1, limit: 1000 });
    sessions.push({ id: head.session_id, epoch, state: head.state, damaged: damaged_from, log });
  }
  const audit = await store.readAudit({ after: 0, limit: 1000 });
  const cursors = await store.loadCursors('bob');
  const live: string[] = [];
  for await (const page of store.liveRows()) live.push(...page.map(({ session_id }) => session_id));
  return { sessions, audit, cursors, live: live.sort(), newest: await store.newestEnvelopeId() };
}
