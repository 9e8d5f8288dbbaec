/**
 * Extensions: the parts the host application registered, by name and version. A session always runs with its recorded versions.
 * Start here: this file selects a session's adapter, at creation with the newest parts, later with the recorded ones.
 */

import { type CreateFacts, callAdapter, planMetadata } from '../../core/decisions/create.ts';
import { asError, HubError, internalError } from '../../core/lib/errors.ts';
import { copyJsonObject } from '../../core/lib/json.ts';
import type { CompleteAdapter } from '../../core/ports/adapter.ts';
import type { ExpectationSet } from '../../core/ports/expectation.ts';
import type { Store, StoredHead } from '../../core/ports/store.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import type { CreatedData } from '../../core/records/session/session.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import { foldEnvelope } from '../../core/state/state.ts';
import type { Adapters, RegisteredAdapter } from './adapters.ts';
import type { Expectations } from './expectations.ts';
import type { RuleParts } from './rule-parts.ts';
import type { Views } from './views.ts';

export interface Extensions {
  readonly adapters: Adapters;
  readonly ruleParts: RuleParts;
  readonly views: Views;
  readonly expectations: Expectations;
}

/** Returns the facts with the session's own adapter, and with knobs in which names are replaced by ids. */
export function bindAdapter(
  { ruleParts, limits }: { readonly ruleParts: RuleParts; readonly limits: Limits },
  registered: RegisteredAdapter,
  facts: CreateFacts,
): CreateFacts {
  if (!registered.isAsked) return facts;
  const metadata = planMetadata(facts);
  const names = callAdapter(facts, 'uses', ({ uses }) => uses(metadata, ruleParts.newest()));
  const { vocabulary, versions } = defectOf('uses', facts, () => ruleParts.choose(names));
  const adapter = callAdapter(facts, 'forSession', () => registered.forSession(metadata, vocabulary));
  const given = callAdapter({ adapter }, 'resolveKnobs', ({ resolveKnobs }) => resolveKnobs(metadata));
  const bounds = { maxDepth: limits.maxJsonDepth, maxBytes: Number.MAX_SAFE_INTEGER };
  const knobs = defectOf('resolveKnobs', facts, () => copyJsonObject(given, 'knobs', bounds));
  return { ...facts, adapter, knobs, versions };
}

const REGISTER_PARTS = 'register it with hub.registerCondition, hub.registerTarget or createHub({conditions, targets})';
const REGISTER_WATCH =
  'register it with hub.registerEvaluator, hub.registerHandler or createHub({evaluators, handlers})';

/** The adapter of a stored session, or the missing extension. */
type AdapterResolution =
  | { readonly adapter: CompleteAdapter; readonly watch: ExpectationSet | null }
  | { readonly missing: string };

export async function resolveAdapter(
  parts: Omit<Extensions, 'views'> & { readonly store: Store },
  { head, epoch }: StoredHead,
): Promise<AdapterResolution> {
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
  // The store verifies checksums, not schemas.
  return envelope.event_data as unknown as CreatedData;
}

/** Reports an unusable answer of an adapter as the adapter's defect. */
function defectOf<T>(member: string, { adapter }: CreateFacts, use: () => T): T {
  try {
    return use();
  } catch (thrown) {
    throw internalError(thrown, `${member} of ${adapter.manifest.type}`);
  }
}
