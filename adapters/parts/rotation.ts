/** Who speaks after whom: everyone's place, who of them is active, and whose turn it is. What turn-taking adapters share. */

import { type Draft, nameOf, ProtocolError, type SessionMetadata, type Turn } from 'parley-hub/core';

export interface Rotation {
  /** Everyone keeps its place, also when hidden or removed; newcomers are put last. */
  readonly participant_order: readonly string[];
  /** Those who can take a turn, in that order. */
  readonly active: readonly string[];
  /** null = nobody: the session is not open yet, is over, or nobody is active. */
  readonly expected_next_speaker: string | null;
  readonly last_speaker_id: string | null;
  /** What gave the present turn; 0 = nobody has had one yet. */
  readonly last_seq: number;
  readonly turn_count: number;
}

/** Who has a place, and who of them is there. */
export type Members = Pick<Rotation, 'participant_order' | 'active'>;

export function newRotation({ participants }: SessionMetadata): Rotation {
  return {
    participant_order: participants.map(({ agent_id }) => agent_id),
    active: [],
    expected_next_speaker: null,
    last_speaker_id: null,
    last_seq: 0,
    turn_count: 0,
  };
}

const MEMBER_TYPES: ReadonlySet<string> = new Set([
  'session.opened',
  'session.participant.joined',
  'session.participant.hidden',
  'session.participant.returned',
  'session.participant.removed',
]);

/** The envelope says who is there; all others leave order and active as they are. */
export function changesMembers(eventType: string): boolean {
  return MEMBER_TYPES.has(eventType);
}

/** Metadata is as of the envelope: it keeps everyone's place too, and knows strangers from participants. */
export function membersOf({ participants }: SessionMetadata): Members {
  return {
    participant_order: participants.map(({ agent_id }) => agent_id),
    active: participants.filter(({ status }) => status === 'active').map(({ agent_id }) => agent_id),
  };
}

/** The next active one behind somebody's place, all the way round to itself; null = nobody is active. */
export function nextActive({ participant_order, active }: Members, after: string): string | null {
  const at = active.indexOf(after);
  if (at !== -1) return active[(at + 1) % active.length] ?? null;
  const place = participant_order.indexOf(after);
  const behind = active.find((id) => participant_order.indexOf(id) > place);
  return behind ?? active[0] ?? null;
}

/** The id of somebody active, by name or id; null = there is no such one. */
export function activeId({ participants }: SessionMetadata, { active }: Members, nameOrId: string): string | null {
  if (active.includes(nameOrId)) return nameOrId;
  const named = participants.find(({ name }) => name === nameOrId);
  return named !== undefined && active.includes(named.agent_id) ? named.agent_id : null;
}

/** Whether the turn comes to or past `start` on its way from one to the next. */
export function completesRound(
  order: readonly string[],
  start: string,
  { from, to }: { readonly from: string; readonly to: string },
): boolean {
  const first = Math.max(0, order.indexOf(start));
  const steps = (id: string) => (order.indexOf(id) - first + order.length) % order.length;
  return steps(to) <= steps(from);
}

export function turnOf({ expected_next_speaker, last_seq }: Rotation): Turn | null {
  return expected_next_speaker === null ? null : { agent_id: expected_next_speaker, since_seq: last_seq };
}

/** Refuses whoever has not got the turn, and says who has. */
export function requireTurn(metadata: SessionMetadata, { sender_id }: Draft, rotation: Rotation): void {
  const expected = rotation.expected_next_speaker;
  if (sender_id === expected) return;
  const who = expected === null ? 'nobody' : `'${nameOf(metadata, expected)}'`;
  const message = `${metadata.manifest.type} expects ${who} to speak, got '${nameOf(metadata, sender_id)}'`;
  throw new ProtocolError(message, { expected }, 'not_your_turn');
}

/** One of several; the same text chooses the same one again. undefined = there is none. */
export function seededPick<T>(among: readonly T[], seed: string): T | undefined {
  return among[hashOf(seed) % among.length];
}

/** FNV-1a, and the last mixing of murmur3 so that neighbouring turns are far apart: 32 bits that are the same everywhere. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
