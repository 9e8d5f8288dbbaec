/** Turn-taking shared by adapters: the order of participants, who is active, and who holds the turn. */

import { type Draft, nameOf, ProtocolError, type SessionMetadata, type Turn } from 'parley-hub/core';

export interface Rotation {
  /** All participants keep their place, even if hidden or removed; new ones are appended. */
  readonly participant_order: readonly string[];
  /** Participants that can take a turn, in the order of `participant_order`. */
  readonly active: readonly string[];
  /** null = nobody: the session is not open, has ended, or has no active participant. */
  readonly expected_next_speaker: string | null;
  readonly last_speaker_id: string | null;
  /** The seq that gave the current turn; 0 = none yet. */
  readonly last_seq: number;
  readonly turn_count: number;
}

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

/** True for event types that change the order or who is active. */
export function changesMembers(eventType: string): boolean {
  return MEMBER_TYPES.has(eventType);
}

/** Reads the members from metadata that already includes the current envelope; all participants keep their place. */
export function membersOf({ participants }: SessionMetadata): Members {
  return {
    participant_order: participants.map(({ agent_id }) => agent_id),
    active: participants.filter(({ status }) => status === 'active').map(({ agent_id }) => agent_id),
  };
}

/** The next active participant after `after`, wrapping around and possibly `after` itself; null if nobody is active. */
export function nextActive({ participant_order, active }: Members, after: string): string | null {
  const at = active.indexOf(after);
  if (at !== -1) return active[(at + 1) % active.length] ?? null;
  const place = participant_order.indexOf(after);
  const behind = active.find((id) => participant_order.indexOf(id) > place);
  return behind ?? active[0] ?? null;
}

/** The id of an active participant with this name or id; null if there is none. */
export function activeId({ participants }: SessionMetadata, { active }: Members, nameOrId: string): string | null {
  if (active.includes(nameOrId)) return nameOrId;
  const named = participants.find(({ name }) => name === nameOrId);
  return named !== undefined && active.includes(named.agent_id) ? named.agent_id : null;
}

/** True if the turn reaches or passes `start` on its way from `from` to `to`. */
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

/** Rejects senders other than the holder, and names the holder. */
export function requireTurn(metadata: SessionMetadata, { sender_id }: Draft, rotation: Rotation): void {
  const expected = rotation.expected_next_speaker;
  if (sender_id === expected) return;
  const who = expected === null ? 'nobody' : `'${nameOf(metadata, expected)}'`;
  const message = `${metadata.manifest.type} expects ${who} to speak, got '${nameOf(metadata, sender_id)}'`;
  throw new ProtocolError(message, { expected }, 'not_your_turn');
}

/** Picks one item by the hash of `seed`, repeatably; undefined if there are no items. */
export function seededPick<T>(among: readonly T[], seed: string): T | undefined {
  return among[hashOf(seed) % among.length];
}

/** FNV-1a with the final mix of murmur3, so that neighbouring turns differ. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
