/** Random but repeatable situations for conditions and targets. */

import type { Json, JsonObject } from '../../core/lib/json.ts';
import type { SessionAdapter } from '../../core/ports/adapter.ts';
import type { Routing } from '../../core/ports/transition.ts';
import { hubDraft } from '../../core/records/session/envelope.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';
import { createdMetadata, draftOf, stamped } from '../lib/history.ts';
import { type Random, seededRandom } from '../lib/random.ts';

/** Only its manifest matters. */
export const anySession: SessionAdapter = {
  manifest: {
    type: 'trial',
    version: 1,
    participants: { min: 2, max: null, roles: [] },
    knobs_schema: {},
    default_view: { name: 'full_transcript', params: {} },
    expectations: [],
  },
  initialState: () => null,
  validateCreate() {},
  validateSend() {},
  fold: () => null,
  onAccepted: () => ({}),
};

/** The participants are `id-alice`, `id-bob`, `id-carol` and `id-dave`; the sender is active. */
export function randomRouting(seed: number): Routing {
  const random = seededRandom(seed);
  const metadata = createdMetadata(anySession, { participants: 4 });
  const order = metadata.participants.map(({ agent_id }) => agent_id);
  const sender = random.pick(order);
  const active = order.filter((id) => id === sender || random.chance(0.6));
  return {
    metadata,
    envelope: stamped(random.chance(0.1) ? hideEvent(metadata, order, random) : content(sender, random), null),
    order,
    active,
    creator_id: metadata.creator_id,
    turn_count: 1 + random.below(12),
    context_vars: Object.fromEntries(KEYS.filter(() => random.chance(0.6)).map((key) => [key, anyJson(random, 2)])),
  };
}

const KEYS = ['stage', 'score', 'approved', 'constructor', 'größe'];
const WORDS = ['yes', 'NO', 'urgent: call me', 'größe', ''];

/** A hub envelope after which the hub passes the turn on: the holder was hidden. */
function hideEvent({ session_id }: SessionMetadata, order: readonly string[], random: Random) {
  return hubDraft(session_id, 'session.participant.hidden', { agent_id: random.pick(order) });
}

function content(sender: string, random: Random) {
  if (random.chance(0.5)) return draftOf(sender, { event_type: 'msg.text', event_data: { text: random.pick(WORDS) } });
  const routing = random.pick<JsonObject>([{}, { tool: 'search' }, { kind: 'tool', tool: 'escalate' }]);
  const body = random.pick<Json>([random.pick(WORDS), { text: random.pick(WORDS) }, null, 7]);
  return draftOf(sender, { event_type: 'msg.packet', event_data: { body, routing } });
}

function anyJson(random: Random, depth: number): Json {
  if (depth === 0 || random.chance(0.7)) return random.pick<Json>([null, true, false, 0, 3, -0.5, 'draft', 'done']);
  const items = [anyJson(random, depth - 1), anyJson(random, depth - 1)];
  return random.chance(0.5) ? items : { inner: items };
}
