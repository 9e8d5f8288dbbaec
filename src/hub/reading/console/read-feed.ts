/** What went wrong and what was done, newest first, out of the audit: violations for who may observe, the rest for who may operate. */

import type { FeedEntry } from '../../../core/console-operations.ts';
import { WireError } from '../../../core/lib/errors.ts';
import type { Params, Result } from '../../../core/operations.ts';
import type { NumberedAudit } from '../../../core/ports/store.ts';
import type { Binding } from '../../bindings.ts';
import { countWithin } from '../../lib/fit-page.ts';
import type { HubParts } from '../../parts.ts';

const DEFAULT_LIMIT = 50;
/** Records of one call that are looked at, also those that are not shown. */
const MOST_RECORDS = 500;
const VIOLATED = 'expectation_violated';

export async function readFeed(
  parts: HubParts,
  { agentId }: Binding,
  { since = 0, after, limit = DEFAULT_LIMIT }: Params<'read_feed'>,
): Promise<Result<'read_feed'>> {
  const mayOperate = parts.registry.holds(agentId, 'operate');
  const mayObserve = parts.registry.holds(agentId, 'observe');
  if (!mayObserve && !mayOperate) {
    throw new WireError('forbidden', 'read_feed: this takes the grant "observe" or "operate"');
  }
  const isShown = ({ kind }: NumberedAudit): boolean => (kind === VIOLATED ? mayObserve : mayOperate);
  // Those that are not shown count too, so that one call stays small.
  const most = mayOperate && mayObserve ? limit : MOST_RECORDS;
  const before = after ?? Number.MAX_SAFE_INTEGER;
  const records = await parts.looks.run(() => parts.store.readAudit({ before, limit: most }));
  const newer = records.filter(({ number }) => number > since);
  const shown = newer.filter(isShown).slice(0, limit);
  const entries = shown.map((record) => entryOf(parts, record));
  const fitting = entries.slice(0, countWithin(entries, parts.limits.maxResponseBytes));
  const isCut = fitting.length < newer.filter(isShown).length;
  const last = isCut ? fitting.at(-1)?.number : newer.at(-1)?.number;
  const isEnd = !isCut && (records.length < most || newer.length < records.length);
  return { entries: fitting, next: isEnd ? null : (last ?? null) };
}

function entryOf({ registry }: HubParts, record: NumberedAudit): FeedEntry {
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

/** The first of them; all are in its detail. */
function violatorIn({ detail }: NumberedAudit): string | null {
  const { violators } = detail as { readonly violators?: readonly { readonly agent_id?: unknown }[] };
  const id = violators?.[0]?.agent_id;
  return typeof id === 'string' ? id : null;
}
