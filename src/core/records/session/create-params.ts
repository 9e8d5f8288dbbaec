/** What a session may be created with, at once or by a schedule: the parameters, their schema, and the template of a schedule. */

import type { JsonObject } from '../../lib/json.ts';
import type { ExpectationEntry } from './session.ts';

/** A time such as "30s", "15m", "2h", "1d" or seconds; 0 = off. */
export type Duration = string | number;

/** A name, an agent id, or one who offers the capability: of these who is connected comes first, then by name. */
export type ParticipantRef = string | { readonly capability: string };

export interface CreateParams {
  readonly type: string;
  readonly version?: number | undefined;
  /** Names, agent ids, or whoever offers a capability; the creator is put first unless it is listed. */
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

/** What each session of a schedule is created with. It has no parent, and its key is made of the schedule and the time. */
export type SessionTemplate = Omit<CreateParams, 'parent_session_id' | 'idempotency_key' | 'wait'>;
