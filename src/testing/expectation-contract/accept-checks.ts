/** The checks of accept evaluators, over random but repeatable conversations. */

import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../core/lib/json.ts';
import type { AcceptContext, AcceptEvaluator } from '../../core/ports/expectation.ts';
import { participantOf } from '../../core/records/session/session.ts';
import { assertJson } from '../lib/assertions.ts';
import type { Check } from '../lib/check.ts';
import { draftOf, stamped } from '../lib/history.ts';
import { type Random, seededRandom } from '../lib/random.ts';
import { pureChecks } from './options.ts';
import { randomContext } from './situations.ts';

const CONVERSATIONS = 40;
const LONG = 2000;
/** Maximum size of a tally: enough for four participants, whatever the length of the conversation. */
const MAX_TALLY = 4 * 1024;

export function acceptChecks(evaluator: AcceptEvaluator, params: readonly JsonObject[]): readonly Check[] {
  const cases = params.flatMap((one) =>
    Array.from({ length: CONVERSATIONS }, (_, seed) => randomConversation(seed, one)),
  );
  const ask = (one: Conversation) => answers(evaluator, one);
  return [
    {
      title: '[EC3] its violators are participants or the session, and its tally is JSON',
      run: () => cases.forEach((one) => void ask(one).forEach(isAnswer)),
    },
    ...pureChecks(cases, ask, (one) => answers(evaluator, one, viaJson)),
    {
      title: '[EC6] its tally does not grow with the session',
      run() {
        const [one] = params;
        const kept = answers(evaluator, randomConversation(0, one ?? {}, LONG)).map(({ tally }) => sizeOf(tally));
        const most = kept.reduce((a, b) => Math.max(a, b), 0);
        assert.ok(
          most <= MAX_TALLY,
          `after ${LONG} messages its tally has ${most} bytes; at most ${MAX_TALLY} are allowed`,
        );
      },
    },
  ];
}

interface Answer {
  readonly context: Pick<AcceptContext, 'metadata'>;
  readonly tally: Json | null;
  readonly violators: readonly (string | null)[];
  readonly words: string | null;
}

/** Folds each envelope, then asks for violators, as the hub does. */
function answers(
  evaluator: AcceptEvaluator,
  conversation: Conversation,
  kept: (tally: Json | null) => Json | null = (tally) => tally,
): readonly Answer[] {
  let before: Json | null = null;
  return conversation.contexts.map((around) => {
    const { envelope, metadata, params } = around;
    const tally: Json | null = kept(evaluator.fold(before, { envelope, metadata, params }));
    const context = { ...around, before, tally };
    const violators = evaluator.violators(context);
    const words = violators.length === 0 ? null : (evaluator.describe?.(violators, context) ?? null);
    before = tally;
    return { context: { metadata }, tally, violators, words };
  });
}

function isAnswer({ context, tally, violators, words }: Answer): void {
  assertJson(tally, 'the tally');
  assert.ok(Array.isArray(violators), `violators must be a list, got ${String(violators)}`);
  for (const id of violators) {
    const isKnown = id === null || participantOf(context.metadata, id) !== undefined;
    assert.ok(isKnown, `violators are participants or null, got ${id}`);
  }
  assert.ok(words === null || typeof words === 'string', 'describe must give text');
}

function viaJson(tally: Json | null): Json | null {
  return JSON.parse(JSON.stringify(tally));
}

function sizeOf(tally: Json | null): number {
  return JSON.stringify(tally).length;
}

interface Conversation {
  /** One per content, in order, without the tallies. */
  readonly contexts: readonly Omit<AcceptContext, 'before' | 'tally'>[];
}

/** The participants are `id-alice`, `id-bob`, `id-carol` and `id-dave`. */
function randomConversation(seed: number, params: JsonObject, length = 30): Conversation {
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
