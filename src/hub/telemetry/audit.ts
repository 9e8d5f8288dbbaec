/** Writes the audit trail: one record for each event an operator may ask about. */

import type { JsonObject } from '../../core/lib/json.ts';
import { isoFromMs } from '../../core/lib/time.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import type { Schedule } from '../../core/records/work/schedule.ts';
import type { HubEventEmitter, HubEventName, HubEvents } from './events.ts';

interface AuditNeeds {
  readonly clock: Clock;
  readonly store: Store;
  readonly events: HubEventEmitter;
}

interface AuditFacts {
  readonly actor?: string | null;
  readonly session_id?: string | null;
  readonly detail: JsonObject;
}

type AuditTable = { readonly [Name in HubEventName]?: (event: HubEvents[Name]) => AuditFacts };

/** A record's kind is the event name in snake case. */
const RECORDS: AuditTable = {
  agentRegistered: ({ passport }) => ofAgent(passport),
  agentUnregistered: ({ passport }) => ofAgent(passport),
  agentChanged: ({ passport, what, version }) => ofAgent(passport, { what, version }),
  agentGranted: ({ passport, grants }) => ofAgent(passport, { grants }),
  agentBound: ({ agent_id, ...detail }) => ({ actor: agent_id, detail }),
  agentUnbound: ({ agent_id, ...detail }) => ({ actor: agent_id, detail }),
  sessionCreated: ({ session: { creator_id, session_id, manifest } }) => ({
    actor: creator_id,
    session_id,
    detail: { type: manifest.type },
  }),
  sessionOpened: ({ session: { session_id } }) => ({ session_id, detail: {} }),
  sessionClosing: ({ session: { session_id, close_reason: reason } }) => ({ session_id, detail: { reason } }),
  sessionEnded: ({ session: { session_id, state, close_reason: reason } }) => ({
    session_id,
    detail: { state, reason },
  }),
  sessionObserved: ({ agent_id, session_id, op }) => ({ actor: agent_id, session_id, detail: { op } }),
  envelopeRedacted: ({ session_id, by, ...detail }) => ({ actor: by, session_id, detail }),
  expectationViolated: ({ session: { session_id }, violation, seq }) => ({
    session_id,
    detail: { ...(violation as unknown as JsonObject), seq },
  }),
  expectationFailed: ({ session_id, error: { message }, ...detail }) => ({
    session_id,
    detail: { ...detail, message },
  }),
  sessionUnavailable: ({ session_id, reason }) => ({ session_id, detail: { reason } }),
  sessionAvailable: ({ session_id }) => ({ session_id, detail: {} }),
  operationRefused: ({ op, agent_id, session_id, error: { code, message } }) => ({
    actor: agent_id,
    session_id,
    detail: { op, code, message },
  }),
  deliveryFailed: ({ agent_id, session_id, ...detail }) => ({ actor: agent_id, session_id, detail }),
  inboxHighWater: ({ agent_id, ...detail }) => ({ actor: agent_id, detail }),
  arbiterFailed: ({ member, error: { message } }) => ({ detail: { member, message } }),
  scheduleCreated: ({ schedule }) => ofSchedule(schedule, { expression: schedule.expression, zone: schedule.zone }),
  scheduleUpdated: ({ schedule }) => ofSchedule(schedule, { paused: schedule.paused }),
  scheduleDeleted: ({ schedule }) => ofSchedule(schedule),
  scheduleRan: ({ schedule, run: { session_id, ...run } }) => ({ ...ofSchedule(schedule, run), session_id }),
  storeFailed: ({ error: { message } }) => ({ detail: { message } }),
};

export function recordAudit({ events, store, clock }: AuditNeeds): void {
  const isFresh = createObservationFilter(events, clock);
  for (const name of Object.keys(RECORDS) as (keyof typeof RECORDS)[]) {
    const kind = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    // Each name maps to a function of the same event.
    const factsOf = RECORDS[name] as (event: HubEvents[HubEventName]) => AuditFacts;
    events.on(name, (event) => {
      if (name === 'sessionObserved' && !isFresh(event as HubEvents['sessionObserved'])) return;
      const { actor = null, session_id = null, detail } = factsOf(event);
      store.audit({ at: isoFromMs(clock.now()), kind, actor, session_id, detail });
    });
  }
}

function ofAgent({ agent_id, name }: Passport, more: JsonObject = {}): AuditFacts {
  return { actor: agent_id, detail: { name, ...more } };
}

function ofSchedule({ schedule_id, name, creator_id }: Schedule, more: JsonObject = {}): AuditFacts {
  return { actor: creator_id, detail: { schedule_id, name, ...more } };
}

/** A repeated observation of one kind is recorded once an hour. */
const REPEAT_MS = 3_600_000;
/** Maximum observations remembered per connection; beyond it the oldest is forgotten. */
const MAX_REMEMBERED = 4_096;

/** True for the first observation of its kind by an identity in a session, while its connection lasts. */
function createObservationFilter(
  events: HubEventEmitter,
  clock: Clock,
): (observed: HubEvents['sessionObserved']) => boolean {
  const recorded = new Map<string, Map<string, number>>();
  events.on('agentBound', ({ agent_id }) => recorded.set(agent_id, new Map()));
  events.on('agentUnbound', ({ agent_id }) => recorded.delete(agent_id));
  return ({ agent_id, session_id, op }) => {
    const known = recorded.get(agent_id);
    // Record every request without a connection, and every start of a subscription.
    if (known === undefined || op === 'subscribe') return true;
    const key = `${op} ${session_id}`;
    const now = clock.monotonic();
    const before = known.get(key);
    if (before !== undefined && now - before < REPEAT_MS) return false;
    known.delete(key);
    known.set(key, now);
    for (const oldest of known.keys()) {
      if (known.size <= MAX_REMEMBERED) break;
      known.delete(oldest);
    }
    return true;
  };
}
