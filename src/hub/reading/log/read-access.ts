/** Decides who may read a session, and up to which seq. Log, views and state share this. */

import { sessionNotFoundError } from '../../../core/decisions/admit.ts';
import type { ConcurrencyLimit } from '../../../core/lib/concurrency-limit.ts';
import { WireError } from '../../../core/lib/errors.ts';
import { membershipEnd } from '../../../core/records/session/delivery.ts';
import { participantOf, type SessionMetadata } from '../../../core/records/session/session.ts';
import type { SessionState } from '../../../core/state/state.ts';
import type { Binding } from '../../bindings/binding.ts';
import type { SharedRooms } from '../../posting/shared-rooms.ts';
import type { HubEvents } from '../../telemetry/events.ts';

/** The rooms that reading uses. Each reader picks those it needs. */
export interface ReadingRooms extends SharedRooms {
  /** Limits concurrent reads for the console, so that they do not slow down posts. */
  readonly looks: ConcurrencyLimit;
  countConnections(): number;
}

/** True if the reader holds `observe`. Each observation is an event, and so an audit record. */
export function authorizeObservation(
  { registry, events }: Pick<ReadingRooms, 'registry' | 'events'>,
  { agentId: agent_id, credential }: Pick<Binding, 'agentId' | 'credential'>,
  session_id: string,
  op: HubEvents['sessionObserved']['op'],
): boolean {
  if (!registry.hasGrant(agent_id, 'observe', credential)) return false;
  events.emit('sessionObserved', { agent_id, session_id, op });
  return true;
}

export interface Readable extends SessionState {
  /** The last seq within the reader's membership; infinite for a current member. */
  readonly end: number;
}

/** A session as one reader may see it. `isObserved`: the reader is an observer and sees everything. */
export type ReadableBy = Readable & { readonly isObserved: boolean };

export interface ReadRequest {
  readonly reader: Pick<Binding, 'agentId' | 'credential'>;
  /** The participant to read as, for an observer (default: the reader). */
  readonly agentId?: string;
  readonly sessionId: string;
  readonly all?: boolean;
}

/** Observers read all of a session they are not in; with `all`, also of one they are in. */
export function readableBy(
  rooms: Pick<ReadingRooms, 'registry' | 'events'>,
  state: SessionState | null,
  { reader, agentId = reader.agentId, sessionId, all = false }: ReadRequest,
  op: 'read_log' | 'read_state',
): ReadableBy {
  const isStranger = state !== null && participantOf(state.metadata, agentId) === undefined;
  if (state !== null && (isStranger || all) && authorizeObservation(rooms, reader, sessionId, op)) {
    return { ...state, end: Number.POSITIVE_INFINITY, isObserved: true };
  }
  return { ...readableEnd(state, agentId, sessionId), isObserved: false };
}

/** To a non-participant the session does not exist; an invitee that never joined gets the reason. */
export function readableEnd(state: SessionState | null, agentId: string, sessionId: string): Readable {
  const participant = state === null ? undefined : participantOf(state.metadata, agentId);
  if (state === null || participant === undefined) throw sessionNotFoundError(sessionId);
  const end = membershipEnd(state.head, agentId);
  if (end > 0) return { ...state, end };
  const why = participant.status === 'invited' ? whyInvited(state.metadata) : 'you never joined it';
  throw new WireError('forbidden', `you cannot read session ${sessionId}: ${why}`, { status: participant.status });
}

function whyInvited({ state, close_reason }: SessionMetadata): string {
  if (state === 'INVITED' || state === 'ACTIVE') return 'answer its invite first';
  return `it is ${state} (${close_reason ?? 'closing'}), and its invite can no longer be answered`;
}
