/** One run in one session of a hub. */

import type { JsonObject } from '../../../core/lib/json.ts';
import type { SessionMetadata } from '../../../core/records/session/session.ts';
import type { Unknowns } from '../../engine/lib/unknown-record.ts';
import type { GovernedType, RunRecord } from '../../session/index.ts';
import { RunnerRefusal } from '../contract/failure.ts';
import { isForgotten } from '../../../node/governed/runner/lease.ts';
import type { RunnerMeans } from './runner-context.ts';
import { Replay } from './run-log.ts';
import type { Posted, PostOptions, RunLog } from '../../../node/governed/runner/log/run-log.ts';
import type { RunClients } from '../../../node/governed/runner/log/session-logs.ts';

/** More are read again when they are needed. */
const REPLAYS_KEPT = 64;

export class SessionLog implements RunLog {
  readonly sessionId: string;
  readonly #clients: RunClients;
  readonly #means: RunnerMeans;
  #metadata: SessionMetadata;
  #replay: Replay;

  private constructor(metadata: SessionMetadata, clients: RunClients, means: RunnerMeans) {
    this.sessionId = metadata.session_id;
    this.#metadata = metadata;
    this.#clients = clients;
    this.#means = means;
    this.#replay = means.kept.replays.get(metadata.session_id) ?? new Replay();
  }

  static async read(sessionId: string, clients: RunClients, means: RunnerMeans): Promise<SessionLog> {
    const { session, unavailable } = await clients.runner.session(sessionId).info();
    // What is left of it is less than the files show: nothing is written from it.
    if (unavailable !== null)
      throw new RunnerRefusal('log_damaged', `the log of the run cannot be read: ${unavailable}`);
    const log = new SessionLog(session, clients, means);
    await log.#catchUp();
    return log;
  }

  get metadata(): SessionMetadata {
    return this.#metadata;
  }

  get record(): RunRecord {
    return this.#replay.record;
  }

  get seq(): number {
    return this.#metadata.head_seq;
  }

  get isEmpty(): boolean {
    return this.#replay.isEmpty;
  }

  get isOpen(): boolean {
    return this.#metadata.state === 'ACTIVE';
  }

  addedAt(seq: number): RunRecord | null {
    return this.#replay.addedAt(seq);
  }

  async post(type: GovernedType, data: Unknowns, { as = 'runner', expectedSeq }: PostOptions = {}): Promise<Posted> {
    if (as === 'runner') await this.#clearLease(type);
    const client = as === 'runner' ? this.#clients.runner : await this.#clients.operator();
    const fence = this.#fence();
    const said = { ...data, ...(as === 'operator' || fence === null ? {} : { fence }) };
    // Through JSON once: what is undefined is absent.
    const event_data = JSON.parse(JSON.stringify(said)) as JsonObject;
    const more = expectedSeq === undefined ? {} : { expectedSeq };
    const { seq } = await client.session(this.sessionId).send({ event_type: type, event_data }, more);
    await this.refresh();
    return { seq, added: this.addedAt(seq) ?? this.record };
  }

  async refresh(): Promise<void> {
    const { session } = await this.#clients.runner.session(this.sessionId).info();
    this.#metadata = session;
    await this.#catchUp();
  }

  #fence(): number | null {
    const { lease } = this.record.state;
    const own = this.#means.kept.fences.get(this.sessionId);
    return lease !== null && lease.fence === own ? own : null;
  }

  /** A lease whose holder is gone or late is given back in its name, so that nobody waits for the dead. */
  async #clearLease(type: GovernedType): Promise<void> {
    const { lease } = this.record.state;
    if (lease === null || type.startsWith('lease.') || this.#fence() !== null) return;
    if (!isForgotten(lease, this.#means.clock.now())) return;
    const { runner } = this.#clients;
    const draft = { event_type: 'lease.released', event_data: { fence: lease.fence } };
    await runner.session(this.sessionId).send(draft, { expectedSeq: this.seq });
    await this.refresh();
  }

  async #catchUp(): Promise<void> {
    if (this.#replay.seq === this.seq) return;
    const session = this.#clients.runner.session(this.sessionId);
    const from = this.#replay.seq;
    // From the last one that is known, which has to be the same.
    for await (const envelope of session.log(from === 0 ? {} : { fromSeq: from })) {
      if (envelope.seq === from && !this.#replay.isAt(envelope)) return this.#readAgain();
      this.#replay.add(this.#metadata, envelope);
    }
    this.#keep();
  }

  async #readAgain(): Promise<void> {
    this.#replay = new Replay();
    await this.#catchUp();
  }

  #keep(): void {
    const { replays } = this.#means.kept;
    replays.set(this.sessionId, this.#replay);
    for (const id of replays.keys()) {
      if (replays.size <= REPLAYS_KEPT) return;
      if (id !== this.sessionId) replays.delete(id);
    }
  }
}
