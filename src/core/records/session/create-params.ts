/** Parameters that create a session, and the template of a schedule. */

import type { JsonObject } from '../../lib/json.ts';
import type { ExpectationEntry } from './session.ts';

/** Such as "30s", "15m", "2h", "1d" or seconds; 0 = off. */
export type Duration = string | number;

/** A name, an agent id, or a capability, which selects one agent: connected agents first, then by name. */
export type ParticipantRef = string | { readonly capability: string };

export interface CreateParams {
  readonly type: string;
  readonly version?: number | undefined;
  /** The hub puts the creator first unless it is listed. */
  readonly participants: readonly ParticipantRef[];
  readonly knobs?: JsonObject | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Kept as labels.intent. */
  readonly intent?: string | undefined;
  readonly expectations?: readonly ExpectationEntry[] | undefined;
  readonly required_acks?: number | undefined;
  readonly ttl?: Duration | undefined;
  readonly invite_timeout?: Duration | undefined;
  readonly drain_timeout?: Duration | undefined;
  readonly parent_session_id?: string | undefined;
  readonly idempotency_key?: string | undefined;
  readonly wait?: 'active' | 'created' | undefined;
}

/** Parameters of each scheduled run, which has no parent and a generated key. */
export type SessionTemplate = Omit<CreateParams, 'parent_session_id' | 'idempotency_key' | 'wait'>;
