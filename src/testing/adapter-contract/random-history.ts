/** Random but repeatable histories of an adapter: valid and invalid posts, and every change of participants. */

import { isProtocolError } from '../../core/lib/errors.ts';
import type { Json, JsonObject } from '../../core/lib/json.ts';
import { completeAdapter, type RoundDraft, type SessionAdapter } from '../../core/ports/adapter.ts';
import { type Draft, type Envelope, hubDraft } from '../../core/records/session/envelope.ts';
import { isMember, type Participant, participantOf, type SessionMetadata } from '../../core/records/session/session.ts';
import type { SessionState } from '../../core/state/state.ts';
import { draftOf, History, type HistoryOptions, participantCount } from '../lib/history.ts';
import { type Random, seededRandom } from '../lib/random.ts';
import { type Call, recordCalls } from '../lib/recording.ts';

/** Drafts that `sender` might post at some point of a history; the adapter may reject them. */
export type DraftSource = (facts: {
  readonly metadata: SessionMetadata;
  readonly state: unknown;
  readonly sender: Participant;
  readonly random: Random;
}) => readonly RoundDraft[];

export interface RandomHistoryOptions extends HistoryOptions {
  readonly drafts?: DraftSource;
}

export interface RandomHistory {
  /** Empty if the adapter threw an unexpected error. */
  readonly log: readonly Envelope[];
  /** The session after its opening and after each change. */
  readonly positions: readonly SessionState[];
  readonly calls: readonly Call[];
}

const STEPS = 24;

/** Ends when the adapter closes the session or throws an unexpected error, or when too few participants are left. */
export function randomHistory(given: SessionAdapter, options: RandomHistoryOptions, seed: number): RandomHistory {
  const random = seededRandom(seed);
  const { adapter, calls } = recordCalls(completeAdapter(given));
  const positions: SessionState[] = [];
  try {
    const history = new History(adapter, { joined: joinedAtOpening(given, options, random), ...options });
    positions.push(history.position);
    for (let step = 0; step < STEPS && hasEnough(history.metadata); step++) {
      const closes = random.chance(0.15)
        ? happen(history, random)
        : attempt(history, randomDraft(history.position, options, random));
      if (history.position !== positions.at(-1)) positions.push(history.position);
      if (closes) break;
    }
    return { log: history.log, positions, calls };
  } catch (thrown) {
    // The checks report a defect of the adapter from its calls; any other error is a defect of the suite.
    if (calls.some(({ outcome }) => 'thrown' in outcome && outcome.thrown === thrown)) {
      return { log: [], positions, calls };
    }
    throw thrown;
  }
}

function joinedAtOpening(given: SessionAdapter, options: HistoryOptions, random: Random): number {
  const all = participantCount(given, options);
  const least = Math.min(Math.max(given.manifest.participants.min, 1), all);
  return random.chance(0.7) ? all : least + random.below(all - least + 1);
}

/** The hub closes a session without active participants, or with fewer than the minimum. */
function hasEnough({ participants, manifest }: SessionMetadata): boolean {
  const active = participants.some(({ status }) => status === 'active');
  return active && participants.filter(isMember).length >= manifest.participants.min;
}

/** Posts a draft; returns true if the adapter closes the session. */
function attempt(history: History, draft: Draft): boolean {
  try {
    return history.follow(draft)?.next_state === 'CLOSING';
  } catch (thrown) {
    if (isProtocolError(thrown)) return false;
    throw thrown;
  }
}

/** Changes the status of a participant, as the hub does. */
function happen(history: History, random: Random): boolean {
  const { session_id, participants, creator_id } = history.metadata;
  const present = participants.filter((one) => isMember(one) || one.status === 'invited');
  const { agent_id, name, role, order, status } = random.pick(present);
  if (status === 'invited') {
    history.follow(hubDraft(session_id, 'session.invite.ack', { agent_id }, [creator_id]));
    history.hub('session.participant.joined', { agent_id, name, role, order });
  } else if (random.chance(0.2)) {
    history.hub('session.participant.removed', { agent_id, reason: 'removed by test' });
  } else {
    history.hub(`session.participant.${status === 'active' ? 'hidden' : 'returned'}`, { agent_id });
  }
  return false;
}

function randomDraft(position: SessionState, { drafts }: RandomHistoryOptions, random: Random): Draft {
  const { metadata, adapter_state: state, head } = position;
  const active = participantsOf(metadata, 'active');
  const expected = head.turn === null ? undefined : participantOf(metadata, head.turn.agent_id);
  const sender = expected !== undefined && random.chance(0.6) ? expected : random.pick(active);
  const own = drafts?.({ metadata, state, sender, random }) ?? [];
  const round = own.length > 0 && random.chance(0.6) ? random.pick(own) : anythingToSay(metadata, random);
  const others = participantsOf(metadata, 'active', 'hidden').filter((one) => one !== sender);
  const named = others.length > 0 && random.chance(0.2) ? others.map(({ agent_id }) => agent_id) : null;
  return draftOf(sender.agent_id, { audience: named, ...round });
}

function participantsOf({ participants }: SessionMetadata, ...statuses: string[]): readonly Participant[] {
  return participants.filter(({ status }) => statuses.includes(status));
}

/** Mostly texts; sometimes packets, unknown types or unexpected data. */
function anythingToSay(metadata: SessionMetadata, random: Random): RoundDraft {
  if (random.chance(0.6)) return { event_type: 'msg.text', event_data: { text: randomWord(random) } };
  const event_type = random.pick(['msg.text', 'msg.packet', 'context.set', 'x.unknown', 'hand.raise']);
  const event_data = random.chance(0.5)
    ? randomObject(random)
    : { ...packetData(metadata, random), set: { [randomWord(random)]: randomJson(random, 2) } };
  return { event_type, event_data };
}

function packetData({ participants }: SessionMetadata, random: Random): JsonObject {
  const target = random.pick([...participants.map(({ agent_id }) => agent_id), 'id-nobody']);
  const routing = random.pick<JsonObject>([
    { kind: 'handoff', target },
    { kind: 'finish', reason: 'done' },
    { tool: randomWord(random) },
  ]);
  const context_updates = { set: { [randomWord(random)]: randomJson(random, 2) }, delete: [randomWord(random)] };
  return { body: randomWord(random), routing, context_updates };
}

function randomObject(random: Random): JsonObject {
  const keys = ['text', 'body', 'routing', 'context_updates', 'set', 'delete', 'bid', 'usage'];
  const members = keys.filter(() => random.chance(0.3)).map((key) => [key, randomJson(random, 2)] as const);
  return Object.fromEntries(members);
}

function randomJson(random: Random, depth: number): Json {
  const scalars: Json[] = [null, true, random.below(10), -0.5, '', randomWord(random)];
  if (depth === 0 || random.chance(0.6)) return random.pick(scalars);
  const items = [randomJson(random, depth - 1), randomJson(random, depth - 1)];
  return random.chance(0.5) ? items : { [randomWord(random)]: items };
}

function randomWord(random: Random): string {
  return random.pick(['red', 'blue', 'größe', 'constructor', 'a b', '0']);
}
