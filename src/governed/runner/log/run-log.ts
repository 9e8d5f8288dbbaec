/** A run's log as the runner sees it, and the run replayed from it. */

import type { Envelope } from '../../../core/records/session/envelope.ts';
import type { SessionMetadata } from '../../../core/records/session/session.ts';
import type { GovernedConfig } from '../../engine/index.ts';
import type { UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { type Created, type GovernedType, NEW_SESSION, type RunRecord, recordsFrom } from '../../session/index.ts';

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
  post(type: GovernedType, data: UnknownRecord, options?: PostOptions): Promise<Posted>;
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

export class Replay {
  #state = NEW_SESSION;
  readonly #history: RunRecord['history'][number][] = [];
  readonly #ledger: RunRecord['ledger'][number][] = [];
  readonly #repoDecisions: RunRecord['repoDecisions'][number][] = [];
  readonly #events: RunRecord['events'][number][] = [];
  readonly #added = new Map<number, RunRecord>();
  #last: { readonly seq: number; readonly id: string } | null = null;
  #isPart = false;

  get seq(): number {
    return this.#last?.seq ?? 0;
  }

  /** Nothing of a run stands here, or its taking over was cut short. */
  get isEmpty(): boolean {
    return this.#added.size === 0 || this.#isPart;
  }

  get record(): RunRecord {
    return {
      state: this.#state,
      history: this.#history,
      ledger: this.#ledger,
      repoDecisions: this.#repoDecisions,
      events: this.#events,
    };
  }

  addedAt(seq: number): RunRecord | null {
    return this.#added.get(seq) ?? null;
  }

  /** False = this is another log than the one that was read. */
  isAt({ seq, envelope_id }: Envelope): boolean {
    return this.#last === null || (this.#last.seq === seq && this.#last.id === envelope_id);
  }

  add(created: Created, envelope: Envelope): void {
    if (envelope.seq <= this.seq) return;
    this.#last = { seq: envelope.seq, id: envelope.envelope_id };
    const added = recordsFrom(created, envelope, this.#state);
    if (added === null) return;
    this.#isPart = envelope.event_type === 'governed.imported' && envelope.event_data.more === true;
    this.#state = added.state;
    this.#history.push(...added.history);
    this.#ledger.push(...added.ledger);
    this.#repoDecisions.push(...added.repoDecisions);
    this.#events.push(...added.events);
    this.#added.set(envelope.seq, added);
  }
}
