/** The history of one session under one adapter, folded as in the hub, with fixed ids and times. */

import type { JsonObject } from '../../core/lib/json.ts';
import {
  type AdapterResult,
  type CompleteAdapter,
  completeAdapter,
  type RoundDraft,
  type SessionAdapter,
} from '../../core/ports/adapter.ts';
import {
  type Draft,
  type Envelope,
  HUB_ID,
  type HubEventType,
  hubDraft,
  PLAIN,
  type Turn,
} from '../../core/records/session/envelope.ts';
import type { CreatedData, SessionMetadata } from '../../core/records/session/session.ts';
import { nextStamp } from '../../core/records/session/stamp.ts';
import { foldEnvelope, type SessionState } from '../../core/state/state.ts';

export interface HistoryOptions {
  /** Number of participants; their names are alice (the creator), bob, carol … */
  readonly participants?: number;
  /** Knobs as the hub passes them to the adapter: with defaults, and names resolved to ids. */
  readonly knobs?: JsonObject;
  /** Number of participants that have joined when the session opens; default: all. */
  readonly joined?: number;
}

interface HistoryStep {
  readonly envelope: Envelope;
  readonly after: SessionState;
  /** The adapter's result for a participant's envelope; null for hub envelopes. */
  readonly result: AdapterResult | null;
}

const SESSION_ID = '5e55'.padEnd(32, '0');
const FIRST_MS = Date.UTC(2026, 0, 1);
const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi'];

export class History<State = unknown> {
  readonly log: Envelope[] = [];
  private readonly adapter: CompleteAdapter;
  private current: SessionState;

  constructor(given: SessionAdapter<State>, options: HistoryOptions = {}) {
    this.adapter = completeAdapter(given);
    const { envelope, after } = play(this.adapter, null, createdDraft(given, options));
    this.log.push(envelope);
    this.current = after;
    for (const draft of openingDrafts(after.metadata, options)) this.follow(draft);
  }

  get position(): SessionState {
    return this.current;
  }

  get metadata(): SessionMetadata {
    return this.current.metadata;
  }

  get state(): State {
    return this.current.adapter_state as State;
  }

  get turn(): Turn | null {
    return this.current.head.turn;
  }

  /** Posts as the named participant; throws what `validateSend` throws. */
  say(name: string, content: string | RoundDraft): AdapterResult {
    const round = typeof content === 'string' ? { event_type: 'msg.text', event_data: { text: content } } : content;
    return this.follow(draftOf(idOf(name), round)) ?? {};
  }

  hub(eventType: HubEventType, data: JsonObject): void {
    this.follow(hubDraft(SESSION_ID, eventType, data));
  }

  follow(draft: Draft): AdapterResult | null {
    const { envelope, after, result } = play(this.adapter, this.current, draft);
    this.log.push(envelope);
    this.current = after;
    return result;
  }
}

/** Validates, stamps and folds one draft, as the hub does. */
export function play(adapter: CompleteAdapter, before: SessionState | null, draft: Draft): HistoryStep {
  const byHub = draft.sender_id === HUB_ID;
  if (!byHub && before !== null) adapter.validateSend(before.metadata, draft, before.adapter_state);
  const envelope = stamped(draft, before);
  const after = foldEnvelope(before, envelope, { adapter, epoch: 1 });
  const result = byHub ? null : adapter.onAccepted(after.metadata, envelope, after.adapter_state);
  return { envelope, after, result };
}

/** The metadata passed to the adapter at create. */
export function createdMetadata(given: SessionAdapter, options: HistoryOptions = {}): SessionMetadata {
  const envelope = stamped(createdDraft(given, options), null);
  return foldEnvelope(null, envelope, { adapter: null, epoch: 1 }).metadata;
}

/** The id differs from the name, to detect adapters that confuse the two. */
export function idOf(name: string): string {
  return `id-${name}`;
}

export function draftOf(senderId: string, round: RoundDraft): Draft {
  return {
    session_id: SESSION_ID,
    sender_id: senderId,
    audience: round.audience ?? null,
    event_type: round.event_type,
    event_data: round.event_data,
    ...PLAIN,
  };
}

/** Number of participants; default: three, within the limits of the manifest. */
export function participantCount({ manifest }: SessionAdapter, { participants }: HistoryOptions): number {
  const { min, max } = manifest.participants;
  return participants ?? Math.max(min, Math.min(3, max ?? 3));
}

/** Stamps the draft as the next envelope of the session. */
export function stamped(draft: Draft, before: SessionState | null): Envelope {
  const seq = (before?.head.seq ?? 0) + 1;
  return { ...draft, ...nextStamp(FIRST_MS + seq * 1000, null, SESSION_ID), seq, depth: 0 };
}

function createdDraft(given: SessionAdapter, options: HistoryOptions): Draft {
  const { manifest } = given;
  const { knobs = {}, joined } = options;
  const count = participantCount(given, options);
  const other = count === 2 ? 'respondent' : 'participant';
  const created: CreatedData = {
    manifest,
    creator_id: idOf('alice'),
    participants: Array.from({ length: count }, (_, order) => {
      const name = NAMES[order] ?? `agent${order}`;
      return { agent_id: idOf(name), name, role: order === 0 ? 'initiator' : other, order };
    }),
    knobs,
    labels: {},
    required_acks: (joined ?? count) - 1,
    invite_deadline_at: null,
    expires_at: null,
    drain_timeout_ms: 5_000,
    parent_session_id: null,
    depth: 0,
    versions: { adapter: manifest.version },
    request_digest: '',
  };
  // CreatedData is JSON; its interface only lacks an index signature.
  return hubDraft(SESSION_ID, 'session.created', created as unknown as JsonObject, []);
}

function openingDrafts({ participants, creator_id }: SessionMetadata, { joined }: HistoryOptions): readonly Draft[] {
  const ids = participants.map(({ agent_id }) => agent_id);
  const active = ids.slice(0, joined ?? ids.length);
  return [
    ...ids.slice(1).map((agent_id) => hubDraft(SESSION_ID, 'session.invite', { agent_id }, [agent_id])),
    ...active.slice(1).map((agent_id) => hubDraft(SESSION_ID, 'session.invite.ack', { agent_id }, [creator_id])),
    hubDraft(SESSION_ID, 'session.opened', { active }),
  ];
}
