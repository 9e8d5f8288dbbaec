/** Reads the console's feed from the audit trail, newest first: violations for observers, everything else for operators. */

import { WireError } from '../../../core/lib/errors.ts';
import type { AuditEntry } from '../../../core/ports/store.ts';
import type { FeedEntry } from '../../../core/protocol/operations/console-hub.ts';
import type { Params, Result } from '../../../core/protocol/operations/operations.ts';
import type { Binding } from '../../bindings/binding.ts';
import { countFitting } from '../../lib/fit-page.ts';
import type { Registry } from '../../registry/registry.ts';
import type { ReadingRooms } from '../log/read-access.ts';

type FeedRooms = Pick<ReadingRooms, 'limits' | 'store' | 'registry' | 'looks'>;

const DEFAULT_LIMIT = 50;
/** Maximum audit records one call reads, shown or not. */
const MAX_RECORDS = 500;
const VIOLATED = 'expectation_violated';

export async function readFeed(
  { limits, store, registry, looks }: FeedRooms,
  { agentId, credential }: Binding,
  { since = 0, after, limit = DEFAULT_LIMIT }: Params<'read_feed'>,
): Promise<Result<'read_feed'>> {
  const mayOperate = registry.hasGrant(agentId, 'operate', credential);
  const mayObserve = registry.hasGrant(agentId, 'observe', credential);
  if (!mayObserve && !mayOperate) {
    throw new WireError('forbidden', 'read_feed requires the grant "observe" or "operate"');
  }
  const isShown = ({ kind }: AuditEntry): boolean => (kind === VIOLATED ? mayObserve : mayOperate);
  // Limit the records read, shown or not, so that one call stays small.
  const most = mayOperate && mayObserve ? limit : MAX_RECORDS;
  const before = after ?? Number.MAX_SAFE_INTEGER;
  const records = await looks.run(() => store.readAudit({ before, limit: most }));
  const newer = records.filter(({ number }) => number > since);
  const shown = newer.filter(isShown).slice(0, limit);
  const entries = shown.map((record) => entryOf(registry, record));
  const fitting = entries.slice(0, countFitting(entries, limits.maxResponseBytes));
  const isCut = fitting.length < newer.filter(isShown).length;
  const last = isCut ? fitting.at(-1)?.number : newer.at(-1)?.number;
  const isEnd = !isCut && (records.length < most || newer.length < records.length);
  return { entries: fitting, next: isEnd ? null : (last ?? null) };
}

function entryOf(registry: Registry, record: AuditEntry): FeedEntry {
  const { number, at, session_id, detail } = record;
  const isViolation = record.kind === VIOLATED;
  const agent_id = isViolation ? violatorIn(record) : record.actor;
  return {
    ...{ number, at, session_id, agent_id, detail },
    kind: isViolation ? 'violation' : 'audit',
    name: agent_id === null ? null : registry.nameOf(agent_id),
    what: isViolation ? String(detail.name) : record.kind,
  };
}

/** The first violator, or null; the detail lists all of them. */
function violatorIn({ detail }: AuditEntry): string | null {
  const { violators } = detail as { readonly violators?: readonly { readonly agent_id?: unknown }[] };
  const id = violators?.[0]?.agent_id;
  return typeof id === 'string' ? id : null;
}
