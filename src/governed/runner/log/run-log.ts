/** Defines the log of a run and replays the run from it. */

import type { Envelope } from '../../../core/records/session/envelope.ts';
import type { SessionMetadata } from '../../../core/records/session/session.ts';
import type { GovernedConfig } from '../../engine/index.ts';
import type { UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { type Created, type GovernedType, NEW_SESSION, type RunRecord, recordsFrom } from '../../session/index.ts';

/** An accepted post and the records it added. */
export interface Posted {
  readonly seq: number;
  readonly added: RunRecord;
}

export interface PostOptions {
  /** Identity that posts; `operator` has the grant `approve`. */
  readonly as?: 'runner' | 'operator';
  /** The post fails with `conflict` unless this is the head seq. */
  readonly expectedSeq?: number;
}

export interface RunLog {
  readonly sessionId: string;
  /** Like the next three members, as of the last read or write. */
  readonly metadata: SessionMetadata;
  readonly record: RunRecord;
  readonly seq: number;
  readonly isOpen: boolean;
  /** Returns the records that the envelope at this seq added; null if it added none. */
  addedAt(seq: number): RunRecord | null;
  /** Resolves when the envelope is durable; throws if the session rejects it. */
  post(type: GovernedType, data: UnknownRecord, options?: PostOptions): Promise<Posted>;
  refresh(): Promise<void>;
}

export interface RunLogs {
  /** Oldest first, without runs whose start or import a crash cut short. */
  readonly runs: readonly RunLog[];
  /** The active run, or the last one. */
  readonly current: RunLog | null;
  /** Opens a session for a run with this config; it appears in `runs` after its first post. */
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

  /** True if the log has no run yet or its import was cut short. */
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

  /** Returns false if the log is not the one that was read before. */
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
