/** A log that was read so far, kept so that only what is newer is read again. */

import type { Envelope } from '../../../core/records/session/envelope.ts';
import { addedBy, type Created, NEW_SESSION, type RunRecord } from '../../session/index.ts';

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
    const added = addedBy(created, envelope, this.#state);
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
