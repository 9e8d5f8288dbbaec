/** Sample records for tests, with fixed default values. */

import type { JsonObject } from '../../src/core/lib/json.ts';
import { isoFromMs } from '../../src/core/lib/time.ts';
import { type Envelope, HUB_ID, PLAIN } from '../../src/core/records/session/envelope.ts';
import type { CreatedData } from '../../src/core/records/session/session.ts';
import type { Entry, Unit } from '../../src/core/records/session/unit.ts';

const START_MS = 1_767_225_600_000; // 2026-01-01T00:00:00.000Z

/** A `text` of alice in session s1; id and time derive from the seq. */
export function envelope(partial: Partial<Envelope> = {}): Envelope {
  const seq = partial.seq ?? 1;
  return {
    session_id: 's1',
    sender_id: 'alice',
    audience: null,
    event_type: 'text',
    event_data: { text: `message ${seq}` },
    ...PLAIN,
    envelope_id: seq.toString(16).padStart(32, '0'),
    seq,
    depth: 0,
    created_at: isoFromMs(START_MS + seq * 1000),
    ...partial,
  };
}

export function entry(partial: Partial<Envelope> = {}): Entry {
  return { envelope: envelope(partial), turn: null };
}

export function unit(...envelopes: readonly Partial<Envelope>[]): Unit {
  return { entries: envelopes.map(entry) };
}

/** A unit of `count` texts that starts at this seq. */
export function textUnit(session_id: string, seq: number, count: number = 1): Unit {
  return unit(...Array.from({ length: count }, (_, i) => ({ session_id, seq: seq + i })));
}

/** A unit with one hub envelope. */
export function hubUnit(session_id: string, seq: number, event_type: string, event_data: JsonObject = {}): Unit {
  return unit({ session_id, seq, event_type, event_data, sender_id: HUB_ID });
}

/** The same unit with a deadline after each entry; null = none. */
export function withDue({ entries }: Unit, ...dues: readonly (number | null)[]): Unit {
  return {
    entries: entries.map(({ envelope, turn }, i) => {
      const due = dues[i] ?? null;
      return due === null ? { envelope, turn } : { envelope, turn, due };
    }),
  };
}

interface CreatedOptions {
  readonly type?: string;
  /** The first is the creator. */
  readonly agents?: readonly string[];
  readonly created_at?: string;
  readonly create_key?: string;
  readonly parent?: string;
  readonly expires_at?: string;
  readonly envelope_id?: string;
}

export function createdUnit(session_id: string, options: CreatedOptions = {}): Unit {
  const { created_at, create_key = null, envelope_id } = options;
  return unit({
    session_id,
    seq: 1,
    sender_id: HUB_ID,
    event_type: 'session.created',
    // CreatedData is JSON; its interface only lacks an index signature.
    event_data: createdData(options) as unknown as JsonObject,
    idempotency_key: create_key,
    ...(created_at === undefined ? {} : { created_at }),
    ...(envelope_id === undefined ? {} : { envelope_id }),
  });
}

function createdData({
  type = 'discussion',
  agents = ['alice', 'bob'],
  parent,
  expires_at,
}: CreatedOptions): CreatedData {
  return {
    manifest: {
      type,
      version: 1,
      participants: { min: 1, max: null, roles: ['initiator', 'participant'] },
      knobs_schema: {},
      default_view: { name: 'full', params: {} },
      expectations: [],
    },
    creator_id: agents[0] ?? HUB_ID,
    participants: agents.map((agent_id, order) => ({
      agent_id,
      name: agent_id,
      role: order === 0 ? 'initiator' : 'participant',
      order,
    })),
    knobs: {},
    labels: {},
    required_acks: agents.length - 1,
    invite_deadline_at: null,
    expires_at: expires_at ?? null,
    drain_timeout_ms: 5_000,
    parent_session_id: parent ?? null,
    depth: parent === undefined ? 0 : 1,
    versions: {},
    request_digest: '',
  };
}
