/** One session without a hub: applies decisions with `advance`, and moves its clock only on request. */

import { advance, type Governance } from '../../src/core/decisions/advance.ts';
import { type CreateFacts, createDrafts } from '../../src/core/decisions/create.ts';
import type { AppliedUnit, Decision } from '../../src/core/decisions/decision.ts';
import { ackInvite } from '../../src/core/decisions/membership.ts';
import type { JsonObject } from '../../src/core/lib/json.ts';
import { completeAdapter, type SessionAdapter } from '../../src/core/ports/adapter.ts';
import { DEFAULT_LIMITS } from '../../src/core/records/access/limits.ts';
import { type Draft, type Envelope, type HubEventType, hubDraft } from '../../src/core/records/session/envelope.ts';
import type { Manifest, SessionMetadata } from '../../src/core/records/session/session.ts';
import { nextStamp } from '../../src/core/records/session/stamp.ts';
import type { Entry } from '../../src/core/records/session/unit.ts';
import type { SessionState } from '../../src/core/state/state.ts';
import { draftOf, idOf } from '../../src/testing/lib/history.ts';

export const START_MS = 1_767_225_600_000; // 2026-01-01T00:00:00.000Z
export const SESSION_ID = 'c0de'.padEnd(32, '0');

export interface Setup extends Partial<CreateFacts> {
  readonly governedBy?: SessionAdapter;
  /** The first is the creator. */
  readonly names?: readonly string[];
  readonly maxEnvelopes?: number;
}

/** A valid create request of alice, with overrides. */
export function createFacts(setup: Setup = {}): CreateFacts {
  const { governedBy = anyoneSpeaks(), names = ['alice', 'bob', 'carol'], maxEnvelopes: _max, ...given } = setup;
  return {
    session_id: SESSION_ID,
    adapter: completeAdapter(governedBy),
    creator_id: idOf(names[0] ?? ''),
    participants: names.map((name) => ({ agent_id: idOf(name), name })),
    knobs: { close_by: 'any' },
    labels: {},
    expectations: null,
    requiredAcks: null,
    ttlMs: 3_600_000,
    inviteTimeoutMs: null,
    drainTimeoutMs: 5_000,
    parent: null,
    idempotencyKey: null,
    requestDigest: 'digest',
    viewVersions: () => ({}),
    nowMs: START_MS,
    limits: DEFAULT_LIMITS,
    ...given,
  };
}

export class TestSession {
  readonly entries: Entry[] = [];
  nowMs = START_MS;
  state: SessionState;
  private readonly governance: Governance;

  constructor(setup: Setup = {}) {
    const facts = createFacts(setup);
    let last: string | null = null;
    this.governance = {
      adapter: facts.adapter,
      epoch: 1,
      maxEnvelopes: setup.maxEnvelopes ?? facts.limits.maxEnvelopes,
      stamp: () => {
        const stamp = nextStamp(this.nowMs, last, SESSION_ID);
        last = stamp.envelope_id;
        return stamp;
      },
    };
    const { entries, after } = advance(null, createDrafts(facts), this.governance);
    this.entries.push(...entries);
    this.state = after;
  }

  get metadata(): SessionMetadata {
    return this.state.metadata;
  }

  get log(): readonly Envelope[] {
    return this.entries.map(({ envelope }) => envelope);
  }

  /** The types of the log from `seq` on. */
  types(fromSeq = 1): readonly string[] {
    return this.log.filter(({ seq }) => seq >= fromSeq).map(({ event_type }) => event_type);
  }

  statuses(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.metadata.participants.map(({ name, status }) => [name, status]));
  }

  append(...drafts: readonly Draft[]): AppliedUnit {
    const advanced = advance(this.state, drafts, this.governance);
    this.entries.push(...advanced.entries);
    this.state = advanced.after;
    return advanced;
  }

  hub(type: HubEventType, data: JsonObject, audience: readonly string[] | null = null): AppliedUnit {
    return this.append(hubDraft(SESSION_ID, type, data, audience));
  }

  say(name: string, text: string, audience: readonly string[] | null = null): AppliedUnit {
    return this.append(draft(name, { event_data: { text }, audience }));
  }

  /** Applies a decision; returns its answer and the appended types. Throws its error. */
  carryOut<T>(decision: Decision<T>): { readonly answer: T; readonly types: readonly string[] } {
    if (decision.kind === 'refuse') throw decision.error;
    if (decision.kind === 'nothing') return { answer: decision.answer, types: [] };
    const advanced = this.append(...decision.drafts);
    return {
      answer: decision.answer(advanced),
      types: advanced.entries.map(({ envelope }) => envelope.event_type),
    };
  }

  ack(...names: readonly string[]): this {
    for (const name of names) this.carryOut(ackInvite(this.state, idOf(name)));
    return this;
  }
}

/** A session that all invitees have joined. */
export function openSession(setup: Setup = {}): TestSession {
  const session = new TestSession(setup);
  return session.ack(...session.metadata.participants.slice(1).map(({ name }) => name));
}

export function draft(name: string, given: Partial<Draft> = {}): Draft {
  const said = draftOf(idOf(name), { event_type: 'msg.text', event_data: { text: 'hello' } });
  return { ...said, session_id: SESSION_ID, ...given };
}

/** An adapter without rules that counts folded envelopes. */
export function anyoneSpeaks(given: Partial<SessionAdapter> = {}, manifest: Partial<Manifest> = {}): SessionAdapter {
  return {
    manifest: {
      type: 'plain',
      version: 1,
      participants: { min: 2, max: null, roles: ['initiator', 'participant'] },
      knobs_schema: {},
      default_view: { name: 'full_transcript', params: {} },
      expectations: [],
      ...manifest,
    },
    initialState: () => ({ folded: 0, types: [] }),
    validateCreate() {},
    validateSend() {},
    fold({ event_type }, state) {
      const { folded, types } = state as { folded: number; types: readonly string[] };
      return { folded: folded + 1, types: [...types, event_type] };
    },
    onAccepted: () => ({}),
    ...given,
  };
}
