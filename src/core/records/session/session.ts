/** The records of a session: manifest, participants and metadata. All are folded from the session's log. */

import type { JsonObject } from '../../lib/json.ts';
import type { Grant } from '../access/grants.ts';

export type LifecycleState = 'INVITED' | 'ACTIVE' | 'CLOSING' | 'CLOSED' | 'EXPIRED';

export type ParticipantStatus = 'invited' | 'active' | 'hidden' | 'removed' | 'rejected';

export interface ViewRef {
  readonly name: string;
  readonly params: JsonObject;
}

export type ViolationAction = 'audit' | 'warn' | 'notify_session' | 'hide' | 'remove' | 'auto_close' | (string & {});

export interface ExpectationEntry {
  readonly name: string;
  readonly on_violation: ViolationAction;
  readonly params: JsonObject;
  /** Role names or agent ids; absent = everyone. */
  readonly applies_to?: readonly string[];
}

export interface Manifest {
  readonly type: string;
  /** (type, version) fixes the behaviour: any change of an adapter's results needs a new version. */
  readonly version: number;
  readonly participants: { readonly min: number; readonly max: number | null; readonly roles: readonly string[] };
  /** JSON Schema of the knobs; its defaults are applied at create. */
  readonly knobs_schema: JsonObject;
  readonly default_view: ViewRef;
  readonly expectations: readonly ExpectationEntry[];
  /** The grant required to post each event type. */
  readonly grants?: Readonly<Record<string, Grant>>;
  /** Default TTL; absent = from the creator's access rule. */
  readonly ttl_seconds?: number;
}

export interface Participant {
  readonly agent_id: string;
  readonly name: string;
  readonly role: string;
  readonly order: number;
  readonly joined_at: string | null;
  readonly status: ParticipantStatus;
}

export interface SessionMetadata {
  readonly session_id: string;
  readonly manifest: Manifest;
  readonly creator_id: string;
  readonly participants: readonly Participant[];
  readonly state: LifecycleState;
  readonly created_at: string;
  readonly opened_at: string | null;
  readonly expires_at: string | null;
  readonly closed_at: string | null;
  readonly close_reason: string | null;
  readonly parent_session_id: string | null;
  readonly depth: number;
  readonly knobs: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly required_acks: number;
  readonly pending_acks: readonly string[];
  readonly rejected_by: readonly string[];
  readonly head_seq: number;
  /** Changes when repair or restore rewrites the session's past. */
  readonly epoch: number;
}

/** Data of `session.created`: the immutable part of a session, with every name resolved. */
export interface CreatedData {
  readonly manifest: Manifest;
  readonly creator_id: string;
  readonly participants: readonly { agent_id: string; name: string; role: string; order: number }[];
  readonly knobs: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly required_acks: number;
  readonly invite_deadline_at: string | null;
  readonly expires_at: string | null;
  readonly drain_timeout_ms: number;
  readonly parent_session_id: string | null;
  readonly depth: number;
  /** Versions of the registered parts the session uses. */
  readonly versions: JsonObject;
  /** Distinguishes a repeated request from a different one with the same key. */
  readonly request_digest: string;
}

export function isTerminal(state: LifecycleState): boolean {
  return state === 'CLOSED' || state === 'EXPIRED';
}

export function participantOf(metadata: SessionMetadata, agentId: string): Participant | undefined {
  // A loop, because every post calls this several times.
  for (const participant of metadata.participants) if (participant.agent_id === agentId) return participant;
  return undefined;
}

/** True for a participant that joined and was not removed: it has a stream and a place in the order. */
export function isMember(participant: Participant): boolean {
  return participant.status === 'active' || participant.status === 'hidden';
}

export function nameOf(metadata: SessionMetadata, agentId: string): string {
  return participantOf(metadata, agentId)?.name ?? agentId;
}
