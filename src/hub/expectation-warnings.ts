/** Expectations of a new session that are allowed and probably not meant: what would never happen, said when it is created. */

import { canonicalJson, type Json } from '../core/lib/json.ts';
import type { ExpectationEntry, SessionMetadata } from '../core/records/session/session.ts';
import type { HubParts } from './parts.ts';

/** What its type brings along is the type's affair. */
export function expectationWarnings(
  { expectations: { evaluators, handlers } }: HubParts,
  session: SessionMetadata,
  ofType: readonly ExpectationEntry[],
): readonly string[] {
  const entries = session.manifest.expectations;
  if (canonicalJson(entries as unknown as Json) === canonicalJson(ofType as unknown as Json)) return [];
  return entries.flatMap((entry, i) => {
    const { name, on_violation } = entry;
    const ofSession = evaluators.newest(name)?.violator === 'session';
    const isIdle = ofSession && handlers.newest(on_violation)?.needsParticipant === true;
    const idle = `expectations.${i}.on_violation: ${on_violation} does nothing here, for the violator of ${name} is the session`;
    return [...nobody(entry, session, `expectations.${i}.applies_to`), ...(isIdle ? [idle] : [])];
  });
}

function nobody({ applies_to, name }: ExpectationEntry, session: SessionMetadata, field: string): readonly string[] {
  const isSomebody = session.participants.some(
    ({ agent_id, role }) => applies_to?.includes(agent_id) || applies_to?.includes(role),
  );
  if (applies_to === undefined || isSomebody) return [];
  return [`${field}: nobody in the session is ${applies_to.join(' or ')}, so ${name} waits for nobody`];
}
