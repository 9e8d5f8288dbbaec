/** Random but repeatable conversations: content of four participants, some of it over and over again, with what it cost. */

import type { AcceptContext } from '../../core/ports/expectation.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { draftOf, stamped } from '../lib/history.ts';
import { type Random, seededRandom } from '../lib/random.ts';
import { randomContext } from './situations.ts';

export interface Conversation {
  /** One for each content, in order; without what the evaluator kept. */
  readonly contexts: readonly Omit<AcceptContext, 'before' | 'tally'>[];
}

/** Participants are called `id-alice`, `id-bob`, `id-carol` and `id-dave`. */
export function randomConversation(seed: number, params: JsonObject, length = 30): Conversation {
  const random = seededRandom(seed);
  const around = randomContext(seed, params);
  const active = around.metadata.participants.map((one) => ({ ...one, status: 'active' as const }));
  const contexts = Array.from({ length }, (_, i) => {
    const { agent_id } = random.pick(active);
    const seq = around.metadata.head_seq + 1 + i;
    const envelope = { ...stamped(draftOf(agent_id, anyContent(random)), null), seq };
    const metadata = { ...around.metadata, state: 'ACTIVE' as const, participants: active, head_seq: seq };
    return { ...around, metadata, envelope };
  });
  return { contexts };
}

function anyContent(random: Random): { readonly event_type: string; readonly event_data: JsonObject } {
  const spent: JsonObject = random.pick<JsonObject>([
    {},
    { cost_usd: null },
    { cost_usd: random.below(100) / 100 },
    { usage: { fresh: random.below(1000), output: random.below(100) }, cost_usd: 0.001 },
  ]);
  const text = random.pick(['Yes.', 'yes.', 'No', `Attempt ${random.below(100)}`, 'ＹＥＳ．', '']);
  if (random.chance(0.7)) return { event_type: 'msg.text', event_data: { text, ...spent } };
  if (random.chance(0.5)) return { event_type: 'msg.packet', event_data: { body: { text }, ...spent } };
  return { event_type: 'x.note', event_data: { usage: 'none', cost_usd: '1' } };
}
