/** The audit: one reader of the tap that writes down what an operator will ask about. */

import type { JsonObject } from '../../core/lib/json.ts';
import { isoFromMs } from '../../core/lib/time.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Schedule } from '../../core/records/work/schedule.ts';
import type { HubEventEmitter, HubEvents } from './events.ts';

export interface AuditNeeds {
  readonly clock: Clock;
  readonly store: Store;
  readonly events: HubEventEmitter;
}

export function recordAudit({ events, store, clock }: AuditNeeds): void {
  const isFresh = createObservationFilter({ events, clock });
  const write = (kind: string, actor: string | null, session_id: string | null, detail: JsonObject): void =>
    store.audit({ at: isoFromMs(clock.now()), kind, actor, session_id, detail });

  events.on('agentRegistered', ({ passport }) =>
    write('agent_registered', passport.agent_id, null, { name: passport.name }),
  );
  events.on('agentUnregistered', ({ passport }) =>
    write('agent_unregistered', passport.agent_id, null, { name: passport.name }),
  );
  events.on('agentChanged', ({ passport, what, version }) =>
    write('agent_changed', passport.agent_id, null, { name: passport.name, what, version }),
  );
  events.on('agentGranted', ({ passport, grants }) =>
    write('agent_granted', passport.agent_id, null, { name: passport.name, grants }),
  );
  events.on('agentBound', ({ agent_id, name, binding }) => write('agent_bound', agent_id, null, { name, binding }));
  events.on('agentUnbound', ({ agent_id, name, binding, reason }) =>
    write('agent_unbound', agent_id, null, { name, binding, reason }),
  );
  events.on('sessionCreated', ({ session }) =>
    write('session_created', session.creator_id, session.session_id, { type: session.manifest.type }),
  );
  events.on('sessionOpened', ({ session }) => write('session_opened', null, session.session_id, {}));
  events.on('sessionClosing', ({ session }) =>
    write('session_closing', null, session.session_id, { reason: session.close_reason }),
  );
  events.on('sessionEnded', ({ session }) =>
    write('session_ended', null, session.session_id, { state: session.state, reason: session.close_reason }),
  );
  events.on('sessionObserved', (look) => {
    if (isFresh(look)) write('session_observed', look.agent_id, look.session_id, { op: look.op });
  });
  events.on('envelopeRedacted', ({ session_id, by, ...detail }) => write('envelope_redacted', by, session_id, detail));
  events.on('expectationViolated', ({ session, violation, seq }) =>
    write('expectation_violated', null, session.session_id, { ...(violation as unknown as JsonObject), seq }),
  );
  events.on('expectationFailed', ({ session_id, entry, name, on_violation, error }) =>
    write('expectation_failed', null, session_id, { entry, name, on_violation, message: error.message }),
  );
  events.on('sessionUnavailable', ({ session_id, reason }) =>
    write('session_unavailable', null, session_id, { reason }),
  );
  events.on('sessionAvailable', ({ session_id }) => write('session_available', null, session_id, {}));
  events.on('operationRefused', ({ op, agent_id, session_id, error }) =>
    write('operation_refused', agent_id, session_id, { op, code: error.code, message: error.message }),
  );
  events.on('deliveryFailed', ({ agent_id, session_id, seq, reason }) =>
    write('delivery_failed', agent_id, session_id, { seq, reason }),
  );
  events.on('inboxHighWater', ({ agent_id, pending, max_pending }) =>
    write('inbox_high_water', agent_id, null, { pending, max_pending }),
  );
  events.on('arbiterFailed', ({ member, error }) =>
    write('arbiter_failed', null, null, { member, message: error.message }),
  );
  const ofSchedule = ({ schedule_id, name }: Schedule): JsonObject => ({ schedule_id, name });
  events.on('scheduleCreated', ({ schedule }) =>
    write('schedule_created', schedule.creator_id, null, {
      ...ofSchedule(schedule),
      expression: schedule.expression,
      zone: schedule.zone,
    }),
  );
  events.on('scheduleUpdated', ({ schedule }) =>
    write('schedule_updated', schedule.creator_id, null, { ...ofSchedule(schedule), paused: schedule.paused }),
  );
  events.on('scheduleDeleted', ({ schedule }) =>
    write('schedule_deleted', schedule.creator_id, null, ofSchedule(schedule)),
  );
  events.on('scheduleRan', ({ schedule, run: { session_id, ...run } }) =>
    write('schedule_ran', schedule.creator_id, session_id, { ...ofSchedule(schedule), ...run }),
  );
  events.on('storeFailed', ({ error }) => write('store_failed', null, null, { message: error.message }));
}

type SessionObserved = HubEvents['sessionObserved'];

/** Whoever stays connected for days is written down again each hour. */
const AGAIN_MS = 3_600_000;
/** Of one connection so many are remembered; the oldest beyond them counts as new when it comes again. */
const MAX_REMEMBERED = 4_096;

/** Says of each look whether it is the first of its kind: by that identity, into that session, while its connection lasts. */
export function createObservationFilter({
  events,
  clock,
}: {
  readonly events: HubEventEmitter;
  readonly clock: Clock;
}): (look: SessionObserved) => boolean {
  /** By agent: when which of its looks was written down. */
  const written = new Map<string, Map<string, number>>();
  events.on('agentBound', ({ agent_id }) => written.set(agent_id, new Map()));
  events.on('agentUnbound', ({ agent_id }) => written.delete(agent_id));
  return ({ agent_id, session_id, op }) => {
    const known = written.get(agent_id);
    // Who asks without a connection asks once; and to subscribe is to begin something.
    if (known === undefined || op === 'subscribe') return true;
    const key = `${op} ${session_id}`;
    const now = clock.monotonic();
    const before = known.get(key);
    if (before !== undefined && now - before < AGAIN_MS) return false;
    known.delete(key);
    known.set(key, now);
    for (const oldest of known.keys()) {
      if (known.size <= MAX_REMEMBERED) break;
      known.delete(oldest);
    }
    return true;
  };
}
