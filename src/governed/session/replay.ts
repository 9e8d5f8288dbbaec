/** A run read from its log: state, history, ledger and events, each entry once. What files show of a run is made from this. */

import type { Envelope } from '../../core/records/session/envelope.ts';
import { sha256 } from '../../core/lib/sha256.ts';
import type { RunEvent } from '../events/draft.ts';
import { outcomeOf } from './judge.ts';
import type { Outcome } from './moves/move.ts';
import type { Created } from './state/rules.ts';
import { type GovernedState, NEW_SESSION } from './state/state.ts';

export interface RunRecord {
  readonly state: GovernedState;
  readonly history: Outcome['history'];
  readonly ledger: Outcome['ledger'];
  readonly repoDecisions: Outcome['repoDecisions'];
  readonly events: readonly RunEvent[];
}

/** What one envelope adds to a run in that state; null = nothing. */
export function addedBy(created: Created, envelope: Envelope, before: GovernedState): RunRecord | null {
  const found = outcomeOf(created, envelope, before);
  if (found === null) return null;
  const events = found.events.map((draft, at) => ({ event_id: eventId(envelope, at), ...draft }));
  return { ...found, events };
}

/** `created`: what the session was created with. */
export function readRun(created: Created, envelopes: Iterable<Envelope>): RunRecord {
  let state = NEW_SESSION;
  const history: Outcome['history'][number][] = [];
  const ledger: Outcome['ledger'][number][] = [];
  const repoDecisions: Outcome['repoDecisions'][number][] = [];
  const events: RunEvent[] = [];
  for (const envelope of envelopes) {
    const added = addedBy(created, envelope, state);
    if (added === null) continue;
    state = added.state;
    history.push(...added.history);
    ledger.push(...added.ledger);
    repoDecisions.push(...added.repoDecisions);
    events.push(...added.events);
  }
  return { state, history, ledger, repoDecisions, events };
}

/** Made of the envelope, so that the same event has the same id whenever it is read. */
function eventId({ envelope_id }: Envelope, at: number): string {
  return `evt_${sha256(`${envelope_id}:${at}`).slice(0, 16)}`;
}
