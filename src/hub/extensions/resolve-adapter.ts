/** The adapter of one session: at create with the newest of the parts its knobs name, later with the versions in its log. */

import type { CompleteAdapter } from '../../core/ports/adapter.ts';
import { byAdapter, type CreateFacts, plannedMetadata } from '../../core/decisions/create.ts';
import type { Entry } from '../../core/records/session/envelope.ts';
import { asError, HubError, internalError } from '../../core/lib/errors.ts';
import type { Watch } from '../../core/ports/expectation.ts';
import { copyJsonObject } from '../../core/lib/json.ts';
import type { CreatedData } from '../../core/records/session/session.ts';
import { foldEnvelope } from '../../core/state/state.ts';
import type { StoredHead } from '../../core/ports/store.ts';
import type { RegisteredAdapter } from './adapters.ts';
import type { HubParts } from '../parts.ts';

/** The same request with the session's own adapter, and knobs in which names are ids. */
export function tailored(
  { ruleParts, limits }: HubParts,
  registered: RegisteredAdapter,
  facts: CreateFacts,
): CreateFacts {
  if (!registered.isAsked) return facts;
  const metadata = plannedMetadata(facts);
  const names = byAdapter(facts, 'uses', ({ uses }) => uses(metadata, ruleParts.newest()));
  const { vocabulary, versions } = defectOf('uses', facts, () => ruleParts.choose(names));
  const adapter = byAdapter(facts, 'forSession', () => registered.forSession(metadata, vocabulary));
  const given = byAdapter({ adapter }, 'resolveKnobs', ({ resolveKnobs }) => resolveKnobs(metadata));
  const bounds = { maxDepth: limits.maxJsonDepth, maxBytes: Number.MAX_SAFE_INTEGER };
  const knobs = defectOf('resolveKnobs', facts, () => copyJsonObject(given, 'knobs', bounds));
  return { ...facts, adapter, knobs, versions };
}

const REGISTER_PARTS = 'register it with hub.registerCondition, hub.registerTarget or createHub({conditions, targets})';
const REGISTER_WATCH =
  'register it with hub.registerEvaluator, hub.registerHandler or createHub({evaluators, handlers})';

/** What a session that is in the log is governed by; `missing` = what of it is not registered. */
export type Found = { readonly adapter: CompleteAdapter; readonly watch: Watch | null } | { readonly missing: string };

export async function rulesOf(parts: HubParts, { head, epoch }: StoredHead): Promise<Found> {
  const { type, version, session_id } = head;
  const registered = parts.adapters.find(type, version);
  if (registered === null) {
    const next = 'register it with hub.register or createHub({adapters})';
    return { missing: `adapter ${type} version ${version} is not registered; ${next}` };
  }
  const [first] = await parts.store.read(session_id, { from_seq: 1, to_seq: 1, limit: 1 });
  if (first === undefined) throw new HubError('unreadable', `log ${session_id} has no entry 1`);
  const { versions, manifest } = createdIn(first);
  const watch = parts.expectations.recorded(manifest.expectations, versions);
  if (watch !== null && 'missing' in watch) return { missing: `not registered: ${watch.missing}; ${REGISTER_WATCH}` };
  if (!registered.isTailored) return { adapter: registered.adapter, watch };
  const vocabulary = parts.ruleParts.recorded(versions);
  if ('missing' in vocabulary) return { missing: `not registered: ${vocabulary.missing}; ${REGISTER_PARTS}` };
  const { metadata } = foldEnvelope(null, first.envelope, { adapter: null, epoch });
  try {
    return { adapter: registered.forSession(metadata, vocabulary), watch };
  } catch (thrown) {
    return { missing: `forSession of ${type} version ${version} failed: ${asError(thrown).message}` };
  }
}

function createdIn({ envelope }: Entry): CreatedData {
  // The log is read by checksum, not by schema.
  return envelope.event_data as unknown as CreatedData;
}

/** What an adapter answered cannot be used, whatever was asked of it. */
function defectOf<T>(member: string, { adapter }: CreateFacts, use: () => T): T {
  try {
    return use();
  } catch (thrown) {
    throw internalError(thrown, `${member} of ${adapter.manifest.type}`);
  }
}
