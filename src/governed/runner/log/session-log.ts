/** Stores run logs as sessions of a hub, and posts under the lease of this process. */

import { hostname } from 'node:os';
import type { AgentClient } from '../../../client/index.ts';
import type { JsonObject } from '../../../core/lib/json.ts';
import { msFromIso } from '../../../core/lib/time.ts';
import type { SessionMetadata } from '../../../core/records/session/session.ts';
import { isAlive } from '../../../system/process.ts';
import type { GovernedConfig } from '../../engine/index.ts';
import type { UnknownRecord } from '../../engine/lib/unknown-record.ts';
import type { GovernedType, Lease, RunRecord } from '../../session/index.ts';
import { RunnerRefusal } from '../contract/failure.ts';
import { type Posted, type PostOptions, Replay, type RunLog, type RunLogs } from './run-log.ts';
import type { RunnerContext } from './runner-context.ts';

export const OPERATOR = 'operator';
export const RUNNER = 'runner';

export interface RunClients {
  readonly runner: AgentClient;
  /** Client with the grant `approve`; connects on first use. */
  readonly operator: () => Promise<AgentClient>;
  readonly operatorName?: string;
  /** Participants by the role they hold; the runner dispatches the other roles. */
  readonly roles?: Readonly<Record<string, string>>;
  /** Selects the sessions of this project; without it, all governed sessions of the runner. */
  readonly label?: { readonly name: string; readonly value: string };
}

export class SessionLogs implements RunLogs {
  readonly #clients: RunClients;
  readonly #means: RunnerContext;
  readonly #logs: SessionLog[] = [];

  private constructor(clients: RunClients, means: RunnerContext) {
    this.#clients = clients;
    this.#means = means;
  }

  static async read(clients: RunClients, means: RunnerContext): Promise<SessionLogs> {
    const logs = new SessionLogs(clients, means);
    const { runner, label } = clients;
    for await (const { session_id, labels, creator_id } of runner.sessions({ type: 'governed' })) {
      // Check the creator, because labels can be copied.
      if (creator_id !== runner.agentId) continue;
      if (label !== undefined && labels[label.name] !== label.value) continue;
      // The hub lists the newest session first.
      logs.#logs.unshift(await SessionLog.read(session_id, clients, means));
    }
    return logs;
  }

  get runs(): readonly RunLog[] {
    return this.#logs.filter(({ isEmpty }) => !isEmpty);
  }

  get current(): RunLog | null {
    return this.runs.at(-1) ?? null;
  }

  async begin(config: GovernedConfig): Promise<RunLog> {
    const { runner, operator, operatorName = OPERATOR, label, roles = {} } = this.#clients;
    // The invited operator must be connected to accept.
    await operator();
    const session = await runner.open('governed', {
      participants: [operatorName, ...new Set(Object.values(roles))],
      requiredAcks: 1,
      // Safe cast: a config is JSON, but its interfaces lack an index signature.
      knobs: { config: config as unknown as JsonObject, ...(Object.keys(roles).length === 0 ? {} : { roles }) },
      // Turn deadlines replace expectations, because a hub opened for one operation watches nothing.
      expectations: [],
      ...(label === undefined ? {} : { labels: { [label.name]: label.value } }),
    });
    const log = await SessionLog.read(session.id, this.#clients, this.#means);
    this.#logs.push(log);
    return log;
  }
}

/** Maximum number of replays kept in memory; other logs are replayed when needed. */
const REPLAYS_KEPT = 64;

class SessionLog implements RunLog {
  readonly sessionId: string;
  readonly #clients: RunClients;
  readonly #means: RunnerContext;
  #metadata: SessionMetadata;
  #replay: Replay;

  private constructor(metadata: SessionMetadata, clients: RunClients, means: RunnerContext) {
    this.sessionId = metadata.session_id;
    this.#metadata = metadata;
    this.#clients = clients;
    this.#means = means;
    this.#replay = means.kept.replays.get(metadata.session_id) ?? new Replay();
  }

  static async read(sessionId: string, clients: RunClients, means: RunnerContext): Promise<SessionLog> {
    const { session, unavailable } = await clients.runner.session(sessionId).info();
    // A damaged log contains less than the files, so never write files from it.
    if (unavailable !== null) {
      throw new RunnerRefusal('log_damaged', `the log of the run cannot be read: ${unavailable}`);
    }
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

  async post(
    type: GovernedType,
    data: UnknownRecord,
    { as = 'runner', expectedSeq }: PostOptions = {},
  ): Promise<Posted> {
    if (as === 'runner') await this.#clearLease(type);
    const client = as === 'runner' ? this.#clients.runner : await this.#clients.operator();
    const fence = this.#fence();
    const said = { ...data, ...(as === 'operator' || fence === null ? {} : { fence }) };
    // JSON drops undefined members.
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

  /** Releases an expired lease, so that nobody waits for a dead holder. */
  async #clearLease(type: GovernedType): Promise<void> {
    const { lease } = this.record.state;
    if (lease === null || type.startsWith('lease.') || this.#fence() !== null) return;
    if (!isExpiredLease(lease, this.#means.clock.now())) return;
    const { runner } = this.#clients;
    const draft = { event_type: 'lease.released', event_data: { fence: lease.fence } };
    await runner.session(this.sessionId).send(draft, { expectedSeq: this.seq });
    await this.refresh();
  }

  async #catchUp(): Promise<void> {
    if (this.#replay.seq === this.seq) return;
    const session = this.#clients.runner.session(this.sessionId);
    const from = this.#replay.seq;
    // Start at the last known envelope: if it differs, read the whole log again.
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

export const LEASE_SECONDS = 3600;

/** True if the lease has timed out or its process on this machine has ended. */
export function isExpiredLease({ owner, expires_at }: Lease, now: number): boolean {
  if (msFromIso(expires_at) <= now) return true;
  const [, host, pid] = /^(.*):(\d+):[0-9a-f]+$/.exec(owner) ?? [];
  return host === hostname() && !isAlive(Number(pid));
}
