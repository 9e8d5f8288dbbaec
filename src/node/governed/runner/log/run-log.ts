/** The log of a run as the operations of the runner see it: what it comes to, and one more envelope. Wherever the hub is. */

import type { SessionMetadata } from '../../../../core/records/session/session.ts';
import type { GovernedConfig } from '../../../../governed/index.ts';
import type { Unknowns } from '../../../../governed/engine/lib/unknown-record.ts';
import type { GovernedType, RunRecord } from '../../../../governed/session/index.ts';

/** What one envelope has added. */
export interface Posted {
  readonly seq: number;
  readonly added: RunRecord;
}

export interface PostOptions {
  /** `operator` has the grant `approve`. */
  readonly as?: 'runner' | 'operator';
  /** Refused `conflict` unless this is the newest seq. */
  readonly expectedSeq?: number;
}

export interface RunLog {
  readonly sessionId: string;
  /** As it was when the log was last read or written. */
  readonly metadata: SessionMetadata;
  /** The run by now. */
  readonly record: RunRecord;
  /** The newest seq. */
  readonly seq: number;
  /** Whether anything can be added. */
  readonly isOpen: boolean;
  /** What the envelope of that seq has added; null = nothing, or there is none. */
  addedAt(seq: number): RunRecord | null;
  /** Judged by the session, durable when this resolves. Throws the session's refusal. */
  post(type: GovernedType, data: Unknowns, options?: PostOptions): Promise<Posted>;
  /** Reads what others have added. */
  refresh(): Promise<void>;
}

/** All runs of one project. */
export interface RunLogs {
  /** Oldest first. One whose beginning was cut short by a crash is not among them. */
  readonly runs: readonly RunLog[];
  /** The run that goes on, or went last. */
  readonly current: RunLog | null;
  /** A new session for a run with this config; it is among the runs as soon as something stands in it. */
  begin(config: GovernedConfig): Promise<RunLog>;
}
