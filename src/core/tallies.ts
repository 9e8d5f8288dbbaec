/** What evaluators that look at accepted content keep: folded like everything else, live and on replay. */

import { disown } from './state/check-expectation-output.ts';
import { doerOf, type Envelope } from './records/session/envelope.ts';
import { HubError } from './lib/errors.ts';
import type { AcceptEntry, Accepted, Watch } from './ports/expectation.ts';
import type { Json } from './lib/json.ts';
import { type ExpectationEntry, participantOf, type SessionMetadata } from './records/session/session.ts';

type Tallies = readonly (Json | null)[];

export function talliesAfter(
  before: Tallies,
  envelope: Envelope,
  metadata: SessionMetadata,
  { accepting }: Watch,
): Tallies {
  if (accepting.length === 0) return before;
  return accepting.map((watched, i) => {
    const tally = before[i] ?? null;
    if (!isFor(watched, envelope, metadata)) return tally;
    try {
      return foldTally(watched, tally, envelope, metadata);
    } catch {
      // The session goes on, and so does its replay; who checks the envelope finds it again and reports it.
      return tally;
    }
  });
}

/** It sees this envelope: content of those it applies to, and what they delegated if it asks for that. */
export function isFor({ entry, evaluator }: AcceptEntry, envelope: Envelope, metadata: SessionMetadata): boolean {
  if (envelope.event_type === 'delegation.settled' && evaluator.settlements !== true) return false;
  return appliesTo(entry, doerOf(envelope), metadata);
}

export function foldTally(
  { entry, evaluator }: AcceptEntry,
  tally: Json | null,
  envelope: Envelope,
  metadata: SessionMetadata,
): Json | null {
  const accepted: Accepted = { envelope, metadata, params: entry.params };
  const after: unknown = evaluator.fold(tally, accepted) ?? null;
  disown(after);
  if (after instanceof Promise) throw new HubError('bad_evaluator', `${evaluator.name}: fold must not wait`);
  // Whether it is JSON is for its contract suite to say.
  return after as Json | null;
}

/** null = the session, which is everyone's. */
export function appliesTo(
  { applies_to }: ExpectationEntry,
  agentId: string | null,
  metadata: SessionMetadata,
): boolean {
  if (applies_to === undefined || agentId === null || applies_to.includes(agentId)) return true;
  const role = participantOf(metadata, agentId)?.role;
  return role !== undefined && applies_to.includes(role);
}
