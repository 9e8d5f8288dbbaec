/** The records of a session: manifest, participants, metadata. All of it is a fold of the session's log. */

import type { JsonObject } from '../../lib/json.ts';
import type { Grant } from '../access/grants.ts';

export type LifecycleState = 'INVITED' | 'ACTIVE' | 'CLOSING' | 'CLOSED' | 'EXPIRED';

export type ParticipantStatus = 'invited' | 'active' | 'hidden' | 'removed' | 'rejected';

/** A named view with its parameters. */
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
  /** (type, version) is the behaviour: any change to what an adapter returns needs a new version. */
  readonly version: number;
  readonly participants: { readonly min: number; readonly max: number | null; readonly roles: readonly string[] };
  /** JSON Schema of the knobs; defaults in it are filled in at create. */
  readonly knobs_schema: JsonObject;
  readonly default_view: ViewRef;
  readonly expectations: readonly ExpectationEntry[];
  /** By event type: the grant without which it is refused. */
  readonly grants?: Readonly<Record<string, Grant>>;
  /** How long a session lasts unless it is told; absent = as its creator's rule says. */
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
  /** Changes when the past of the session was rewritten (repair, restore). */
  readonly epoch: number;
}

/** What `session.created` says: all of a session that does not change, with every name resolved. */
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
  /** Versions of the registered things the session uses. */
  readonly versions: JsonObject;
  /** What was asked, so that a repeated key can be told from another request. */
  readonly request_digest: string;
}

export function isTerminal(state: LifecycleState): boolean {
  return state === 'CLOSED' || state === 'EXPIRED';
}

export function participantOf(metadata: SessionMetadata, agentId: string): Participant | undefined {
  // A loop: it is asked several times for every post.
  for (const participant of metadata.participants) if (participant.agent_id === agentId) return participant;
  return undefined;
}

/** Joined, and neither removed nor turned away: it has a stream and a place. */
export function isMember(participant: Participant): boolean {
  return participant.status === 'active' || participant.status === 'hidden';
}

/** The name to show for an id of this session. */
export function nameOf(metadata: SessionMetadata, agentId: string): string {
  return participantOf(metadata, agentId)?.name ?? agentId;
}
