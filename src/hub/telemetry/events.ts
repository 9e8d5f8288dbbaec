/**
 * Telemetry: what the hub reports about itself. This file emits typed events after durability; audit.ts and the counters use
 * them. A listener that throws is logged and ignored, so nothing in the hub may depend on one: rooms that need order use their own.
 */

import { EventEmitter } from 'eventemitter3';
import { asError, type WireError } from '../../core/lib/errors.ts';
import type { ArbiterMember } from '../../core/ports/arbiter.ts';
import type { Violation } from '../../core/ports/expectation.ts';
import type { Logger } from '../../core/ports/platform.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import type { Envelope, Turn } from '../../core/records/session/envelope.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';
import type { Schedule, ScheduleRun } from '../../core/records/work/schedule.ts';

export interface HubEvents {
  agentRegistered: { readonly passport: Passport };
  agentUnregistered: { readonly passport: Passport };
  agentChanged: { readonly passport: Passport; readonly what: 'resume' | 'skill' | 'rule'; readonly version: number };
  agentGranted: { readonly passport: Passport; readonly grants: readonly Grant[] };
  agentBound: { readonly agent_id: string; readonly name: string; readonly binding: number };
  agentUnbound: { readonly agent_id: string; readonly name: string; readonly binding: number; readonly reason: string };
  /** Every envelope of every session, in seq order within a session. */
  envelopePosted: { readonly envelope: Envelope; readonly turn: Turn | null };
  sessionCreated: { readonly session: SessionMetadata };
  sessionOpened: { readonly session: SessionMetadata };
  sessionClosing: { readonly session: SessionMetadata };
  sessionEnded: { readonly session: SessionMetadata };
  /** A client with the `observe` grant reads the session, or subscribes to it. */
  sessionObserved: {
    readonly agent_id: string;
    readonly session_id: string;
    readonly op: 'subscribe' | 'read_log' | 'get_session' | 'read_view' | 'read_state' | 'search_sessions';
  };
  /** An operator redacted an envelope; `by` is null for the host application. */
  envelopeRedacted: {
    readonly session_id: string;
    readonly seq: number;
    readonly envelope_id: string;
    readonly by: string | null;
    readonly reason: string | null;
    readonly digest: string;
  };
  expectationViolated: { readonly session: SessionMetadata; readonly violation: Violation; readonly seq: number };
  /** An evaluator or a handler threw; its entry is paused, the others continue. */
  expectationFailed: {
    readonly session_id: string;
    readonly entry: number;
    readonly name: string;
    readonly on_violation: string;
    readonly error: Error;
  };
  sessionUnavailable: { readonly session_id: string; readonly reason: string };
  sessionAvailable: { readonly session_id: string };
  operationRefused: {
    readonly op: string;
    readonly agent_id: string | null;
    readonly session_id: string | null;
    readonly error: WireError;
  };
  deliveryAcked: { readonly agent_id: string; readonly session_id: string; readonly seq: number };
  deliverySeen: { readonly agent_id: string; readonly session_id: string; readonly seq: number };
  deliveryFailed: {
    readonly agent_id: string;
    readonly session_id: string;
    readonly seq: number;
    readonly reason: string;
  };
  /** The unread count reached `high_water`; emitted again only after it fell below. */
  inboxHighWater: { readonly agent_id: string; readonly pending: number; readonly max_pending: number };
  /** The arbiter threw, timed out or gave an invalid answer; the hub denied. */
  arbiterFailed: { readonly member: ArbiterMember; readonly error: Error };
  scheduleCreated: { readonly schedule: Schedule };
  scheduleUpdated: { readonly schedule: Schedule };
  scheduleDeleted: { readonly schedule: Schedule };
  /** A schedule was due: its session opened, or the reason why not. */
  scheduleRan: { readonly schedule: Schedule; readonly run: ScheduleRun };
  badFrame: { readonly agent_id: string | null; readonly error: WireError };
  storeFailed: { readonly error: Error };
}

export type HubEventName = keyof HubEvents;
export const HUB_EVENTS: readonly HubEventName[] = [
  'agentRegistered',
  'agentUnregistered',
  'agentChanged',
  'agentGranted',
  'agentBound',
  'agentUnbound',
  'envelopePosted',
  'sessionCreated',
  'sessionOpened',
  'sessionClosing',
  'sessionEnded',
  'sessionObserved',
  'envelopeRedacted',
  'expectationViolated',
  'expectationFailed',
  'sessionUnavailable',
  'sessionAvailable',
  'operationRefused',
  'deliveryAcked',
  'deliverySeen',
  'deliveryFailed',
  'inboxHighWater',
  'arbiterFailed',
  'scheduleCreated',
  'scheduleUpdated',
  'scheduleDeleted',
  'scheduleRan',
  'badFrame',
  'storeFailed',
];

export type HubListener<Name extends HubEventName> = (event: HubEvents[Name]) => void;

export class HubEventEmitter {
  private readonly emitter = new EventEmitter();
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  on<Name extends HubEventName>(name: Name, listener: HubListener<Name>): () => void {
    this.emitter.on(name, listener);
    return () => void this.emitter.off(name, listener);
  }

  hasListeners(name: HubEventName): boolean {
    return this.emitter.listenerCount(name) > 0;
  }

  emit<Name extends HubEventName>(name: Name, event: HubEvents[Name]): void {
    if (!this.hasListeners(name)) return;
    for (const listener of this.emitter.listeners(name)) {
      try {
        const result: unknown = listener(event);
        // An async listener may also fail.
        if (result instanceof Promise) result.catch((thrown: unknown) => this.contain(name, thrown));
      } catch (thrown) {
        this.contain(name, thrown);
      }
    }
  }

  private contain(name: HubEventName, thrown: unknown): void {
    this.log.error(`a listener of ${name} threw`, { error: asError(thrown).message });
  }
}
