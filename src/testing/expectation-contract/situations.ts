/** Random but repeatable situations for evaluators and handlers. */

import type { JsonObject } from '../../core/lib/json.ts';
import { isoFromMs } from '../../core/lib/time.ts';
import type { AcceptedAt, TimingFacts, Violation, WaitContext } from '../../core/ports/expectation.ts';
import type { LifecycleState, ParticipantStatus, SessionMetadata } from '../../core/records/session/session.ts';
import { createdMetadata } from '../lib/history.ts';
import { type Random, seededRandom } from '../lib/random.ts';
import { anySession } from '../rule-part-contract/routings.ts';

const START_MS = 1_767_225_600_000;
const STATES: readonly LifecycleState[] = ['INVITED', 'ACTIVE', 'ACTIVE', 'ACTIVE', 'CLOSING'];
const STATUSES: readonly ParticipantStatus[] = ['active', 'active', 'active', 'hidden', 'removed'];

/** The participants are `id-alice`, `id-bob`, `id-carol` and `id-dave`. */
export function randomContext(seed: number, params: JsonObject): WaitContext {
  const random = seededRandom(seed);
  const metadata = randomMetadata(random);
  const active = metadata.participants.filter(({ status }) => status === 'active').map(({ agent_id }) => agent_id);
  const hasTurn = metadata.state === 'ACTIVE' && active.length > 0 && random.chance(0.7);
  const since_seq = 1 + random.below(metadata.head_seq);
  const turn = hasTurn ? { agent_id: random.pick(active), since_seq } : null;
  const pacing = randomPacing(random, metadata, turn, active);
  return { metadata, turn, pacing, adapter_state: null, params };
}

export function randomViolation(seed: number): { readonly violation: Violation; readonly metadata: SessionMetadata } {
  const random = seededRandom(seed);
  const metadata = randomMetadata(random);
  const named = metadata.participants.filter(() => random.chance(0.5)).map(({ agent_id }) => agent_id);
  const who = named.length === 0 ? [null] : named;
  const violation = {
    entry: random.below(3),
    name: 'trial',
    violators: who.map((agent_id) => ({ agent_id, since_seq: 1 + random.below(metadata.head_seq) })),
    due_at: isoFromMs(START_MS + random.below(100_000)),
    on_violation: 'trial',
    detail: 'it is late',
  };
  return { violation, metadata };
}

function randomMetadata(random: Random): SessionMetadata {
  const metadata = createdMetadata(anySession, { participants: 4 });
  const state = random.pick(STATES);
  const participants = metadata.participants.map((participant) => {
    const invited: ParticipantStatus = participant.agent_id === metadata.creator_id ? 'active' : 'invited';
    return { ...participant, status: state === 'INVITED' ? invited : random.pick(STATUSES) };
  });
  const pending_acks = participants.filter(({ status }) => status === 'invited').map(({ agent_id }) => agent_id);
  return { ...metadata, state, participants, pending_acks, head_seq: 5 + random.below(20) };
}

function randomPacing(
  random: Random,
  metadata: SessionMetadata,
  turn: WaitContext['turn'],
  active: readonly string[],
): TimingFacts {
  const moment = (): AcceptedAt => ({
    seq: 1 + random.below(metadata.head_seq),
    at: START_MS + random.below(100_000),
  });
  const held = turn === null ? null : { ...turn, at: moment().at };
  const isOpen = metadata.state !== 'INVITED';
  return {
    created: { seq: 1, at: START_MS },
    opened: isOpen ? moment() : null,
    content: isOpen && random.chance(0.7) ? moment() : null,
    turn: held,
    failed:
      held !== null && random.chance(0.3)
        ? { ...held, at: held.at + random.below(1000), seq: metadata.head_seq }
        : null,
    unanswered: active.filter(() => isOpen && random.chance(0.5)).map((agent_id) => ({ agent_id, ...moment() })),
    progress: Object.fromEntries(active.filter(() => random.chance(0.3)).map((id) => [id, moment().at])),
    fired: [],
    tallies: [],
  };
}
