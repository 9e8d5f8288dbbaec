/**
 * The checker's own model of every session: the durable log, folded from its start, and what each participant is owed.
 */

import {
  type CreatedData,
  canonicalJson,
  completeAdapter,
  type Entry,
  type Envelope,
  type Json,
  type SessionAdapter,
} from 'parley-hub/core';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import type { ExpectationSet } from '../../src/core/ports/expectation.ts';
import { foldEnvelope, type SessionState } from '../../src/core/state/state.ts';
import { Expectations } from '../../src/hub/extensions/expectations.ts';
import { checkLimits, isOfLimit } from './accept-laws.ts';
import { checkAccount } from './delegation-laws.ts';
import { holds } from './law-broken.ts';
import type { SimulatedStore } from './simulated-store.ts';
import { TaskBook } from './task-laws.ts';
import { checkEnds, checkOver, checkTurns } from './turn-laws.ts';
import { checkReport, checkViolation, type SetBack } from './wait-laws.ts';

export interface ModelSession {
  readonly entries: Entry[];
  /** The state after each entry; index = seq − 1. */
  readonly states: SessionState[];
  readonly keys: Map<string, number>;
}

const DAY_MS = 24 * 3_600_000;
const terminal = new Set(['session.closed', 'session.expired']);
const allowedWhileClosing = new Set(['session.closed', 'session.participant.removed']);

export class LogModel {
  readonly sessions = new Map<string, ModelSession>();
  readonly tasks = new TaskBook();
  /** Times at which the wall clock was set back. */
  readonly setBacks: SetBack[] = [];
  /** When a session was last created under each creator's key. */
  private readonly createdUnder = new Map<string, number>();
  private readonly adapters: Map<string, ReturnType<typeof completeAdapter>>;
  private readonly expectations = new Expectations();
  private readonly watches = new Map<string, ExpectationSet | null>();

  // biome-ignore lint/suspicious/noExplicitAny: an adapter's state is known to the adapter alone
  constructor(adapters: readonly SessionAdapter<any>[]) {
    for (const evaluator of EVALUATORS) this.expectations.registerEvaluator(evaluator);
    for (const handler of HANDLERS) this.expectations.registerHandler(handler);
    this.adapters = new Map(adapters.map((adapter) => [adapter.manifest.type, completeAdapter(adapter)]));
  }

  /** Takes in what became durable since the last call; known entries must be unchanged. */
  follow(store: SimulatedStore): void {
    for (const logId of store.logIds()) {
      if (logId !== 'hub' && logId !== 'schedules') this.followOne(logId, store.durableEntries(logId));
    }
    for (const sessionId of this.sessions.keys()) {
      holds(store.durableEntries(sessionId).length > 0, 'L1', () => `session ${sessionId} is gone from the disk`);
    }
  }

  envelope(sessionId: string, seq: number): Envelope | undefined {
    return this.sessions.get(sessionId)?.entries[seq - 1]?.envelope;
  }

  state(sessionId: string, seq?: number): SessionState | undefined {
    const states = this.sessions.get(sessionId)?.states;
    return seq === undefined ? states?.at(-1) : states?.[seq - 1];
  }

  /** The seqs the agent must receive of the session, by an independent reading of the spec. */
  owed(sessionId: string, agentId: string): number[] {
    const session = this.sessions.get(sessionId);
    if (session === undefined) return [];
    let joined = session.entries[0]?.envelope.event_data.creator_id === agentId;
    let end = Number.POSITIVE_INFINITY;
    for (const { envelope } of session.entries) {
      if (envelope.event_data.agent_id !== agentId) continue;
      if (envelope.event_type === 'session.invite.ack') joined = true;
      if (envelope.event_type === 'session.participant.removed') end = envelope.seq;
    }
    if (!joined) return [];
    return session.entries
      .map(({ envelope }) => envelope)
      .filter((envelope) => envelope.seq <= end && isFor(envelope, agentId))
      .map(({ seq }) => seq);
  }

  fold(before: SessionState | null, envelope: Envelope): SessionState {
    const watch = this.watchOf(envelope);
    return foldEnvelope(before, envelope, { adapter: this.adapterOf(before, envelope), epoch: 1, watch });
  }

  private watchOf({ session_id, event_type, event_data }: Envelope): ExpectationSet | null {
    if (event_type === 'session.created') {
      const { manifest, versions } = event_data as unknown as CreatedData;
      const watch = this.expectations.recorded(manifest.expectations, versions);
      holds(watch === null || !('missing' in watch), 'L9', () => `${session_id} expects what is not registered`);
      this.watches.set(session_id, watch);
    }
    return this.watches.get(session_id) ?? null;
  }

  private adapterOf(before: SessionState | null, envelope: Envelope): ReturnType<typeof completeAdapter> {
    const adapter = this.adapters.get(String(before?.metadata.manifest.type ?? manifestType(envelope)));
    holds(adapter !== undefined, 'L3', () => `${envelope.session_id} has no adapter`);
    return adapter;
  }

  private followOne(sessionId: string, entries: readonly Entry[]): void {
    const known = this.sessions.get(sessionId) ?? { entries: [], states: [], keys: new Map() };
    this.sessions.set(sessionId, known);
    holds(
      entries.length >= known.entries.length,
      'L1',
      () => `${sessionId} lost entries: ${known.entries.length} → ${entries.length}`,
    );
    const last = known.entries.length - 1;
    if (last >= 0)
      holds(
        entries[last] === known.entries[last] || same(entries[last], known.entries[last]),
        'L1',
        () => `${sessionId} seq ${last + 1} changed`,
      );
    const from = known.entries.length;
    for (const entry of entries.slice(from)) this.take(sessionId, known, entry);
    checkLimits(known.entries, known.states, from);
    const state = known.states.at(-1);
    if (state !== undefined) checkOver(state);
  }

  private take(sessionId: string, session: ModelSession, entry: Entry): void {
    const { envelope, turn } = entry;
    const before = session.states.at(-1) ?? null;
    const previous = session.entries.at(-1)?.envelope;
    holds(
      envelope.seq === session.entries.length + 1,
      'L2',
      () => `${sessionId} has seq ${envelope.seq} after ${session.entries.length}`,
    );
    holds(
      previous === undefined || envelope.envelope_id > previous.envelope_id,
      'L2',
      () => `${sessionId} seq ${envelope.seq}: id went back`,
    );
    holds(
      previous === undefined || envelope.created_at >= previous.created_at,
      'L2',
      () => `${sessionId} seq ${envelope.seq}: time went back`,
    );
    holds(
      previous === undefined || !terminal.has(previous.event_type),
      'L6',
      () => `${sessionId} took ${envelope.event_type} after its end`,
    );
    const adapter = this.adapterOf(before, envelope);
    if (before !== null) {
      this.checkLegal(sessionId, before, envelope, adapter);
      checkEnds(before, envelope);
      const isViolation = envelope.event_type === 'expectation.violated' && !isOfLimit(envelope);
      if (isViolation) checkViolation(session.entries, before, envelope);
      // Of a turn; reports of a task are checked by the task book.
      const isReport = /^task\.(progress|failed)$/.test(envelope.event_type) && envelope.task_id === null;
      if (isReport) checkReport(session.entries, before, envelope, this.setBacks);
    }
    checkAccount(session.entries, envelope);
    this.tasks.take(before, envelope);
    const state = this.fold(before, envelope);
    this.tasks.compare(state);
    checkTurns(state, adapter);
    holds(
      same(state.head.turn, turn),
      'L3',
      () => `${sessionId} seq ${envelope.seq}: turn in the log is not the fold's`,
    );
    holds(
      state.head.due_at === (entry.due ?? null),
      'L3',
      () => `${sessionId} seq ${envelope.seq}: the due time in the log is not the fold's`,
    );
    session.entries.push(entry);
    session.states.push(state);
    if (envelope.seq === 1) this.checkCreateKey(envelope);
    this.checkKey(sessionId, session, envelope);
  }

  private checkCreateKey({ session_id, event_data, idempotency_key, created_at }: Envelope): void {
    if (idempotency_key === null) return;
    const name = `${String(event_data.creator_id)} ${idempotency_key}`;
    const earlierMs = this.createdUnder.get(name) ?? Number.NEGATIVE_INFINITY;
    const createdMs = Date.parse(created_at);
    holds(createdMs - earlierMs >= DAY_MS, 'L5', () => `${session_id} is a second session under the key ${name}`);
    this.createdUnder.set(name, createdMs);
  }

  private checkLegal(
    sessionId: string,
    before: SessionState,
    envelope: Envelope,
    adapter: ReturnType<typeof completeAdapter>,
  ): void {
    const { metadata } = before;
    if (metadata.state === 'CLOSING') {
      holds(
        allowedWhileClosing.has(envelope.event_type),
        'L4',
        () => `${sessionId} took ${envelope.event_type} while closing`,
      );
    }
    if (envelope.sender_id === 'hub' || envelope.event_type.startsWith('task.')) return;
    holds(metadata.state === 'ACTIVE', 'L4', () => `${sessionId} took content while ${metadata.state}`);
    const sender = metadata.participants.find(({ agent_id }) => agent_id === envelope.sender_id);
    holds(
      sender?.status === 'active',
      'L4',
      () => `${sessionId} took content of ${envelope.sender_id}, who is ${sender?.status}`,
    );
    try {
      adapter.validateSend(metadata, envelope, before.adapter_state);
    } catch (thrown) {
      holds(false, 'L4', () => `${sessionId} seq ${envelope.seq} is illegal: ${String(thrown)}`);
    }
  }

  private checkKey(sessionId: string, { keys }: ModelSession, { idempotency_key, sender_id, seq }: Envelope): void {
    if (idempotency_key === null) return;
    const name = `${sender_id} ${idempotency_key}`;
    holds(
      !keys.has(name),
      'L5',
      () => `${sessionId} accepted key ${name} at seq ${keys.get(name)} and again at ${seq}`,
    );
    keys.set(name, seq);
  }
}

export function isFor(envelope: Envelope, agentId: string): boolean {
  if (envelope.sender_id === agentId || envelope.event_type === 'session.invite') return false;
  return envelope.audience === null || envelope.audience.includes(agentId);
}

export function same(a: unknown, b: unknown): boolean {
  // Both are JSON, nearly always with members in the same order.
  if (JSON.stringify(a ?? null) === JSON.stringify(b ?? null)) return true;
  return canonicalJson((a ?? null) as Json) === canonicalJson((b ?? null) as Json);
}

function manifestType(envelope: Envelope): unknown {
  const manifest = envelope.event_data.manifest;
  return typeof manifest === 'object' && manifest !== null && 'type' in manifest ? manifest.type : undefined;
}
