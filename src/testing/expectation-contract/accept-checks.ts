/** What every evaluator of accepted content must hold, over random but repeatable conversations. */

import assert from 'node:assert/strict';
import type { AcceptContext, AcceptEvaluator } from '../../core/ports/expectation.ts';
import type { Json, JsonObject } from '../../core/lib/json.ts';
import { participantOf } from '../../core/records/session/session.ts';
import { assertJson, doing } from '../lib/assertions.ts';
import { touchedClockOrChance } from '../lib/purity.ts';
import { deepFreeze } from '../deep-freeze.ts';
import type { ExpectationCheck } from './checks.ts';
import { type Conversation, randomConversation } from './conversations.ts';

const CONVERSATIONS = 40;
const LONG = 2000;
/** What four participants need, and no more however long they talk. */
const MOST_TALLY = 4 * 1024;

export function acceptChecks(evaluator: AcceptEvaluator, params: readonly JsonObject[]): readonly ExpectationCheck[] {
  const cases = params.flatMap((one) =>
    Array.from({ length: CONVERSATIONS }, (_, seed) => randomConversation(seed, one)),
  );
  const ask = (one: Conversation) => answers(evaluator, one);
  return [
    {
      title: '[EC3] its violators are participants or the session, and what it keeps is JSON',
      run: () => cases.forEach((one) => void ask(one).forEach(isAnswer)),
    },
    {
      title: '[EC4] it changes nothing it is given',
      run() {
        for (const one of cases) {
          const answer = doing('with frozen arguments', () => ask(deepFreeze(structuredClone(one))));
          assert.deepStrictEqual(answer, ask(structuredClone(one)));
        }
      },
    },
    {
      title: '[EC4] it answers the same again, in whatever order it is asked, and from what JSON keeps of its tally',
      run() {
        const first = cases.map((one) => ask(structuredClone(one)));
        const backwards = cases.toReversed().map((one) => answers(evaluator, one, viaJson));
        assert.deepStrictEqual(backwards.toReversed(), first, 'it remembers, or rolls dice');
      },
    },
    {
      title: '[EC5] it looks at no clock, rolls no dice and does not wait',
      run() {
        const touched = touchedClockOrChance(() => cases.forEach((one) => void ask(one)));
        assert.deepStrictEqual(touched, [], `it must be pure, and used ${touched.join(', ')}`);
      },
    },
    {
      title: '[EC6] what it keeps does not grow with the session',
      run() {
        const [one] = params;
        const kept = answers(evaluator, randomConversation(0, one ?? {}, LONG)).map(({ tally }) => sizeOf(tally));
        const most = kept.reduce((a, b) => Math.max(a, b), 0);
        assert.ok(
          most <= MOST_TALLY,
          `after ${LONG} messages it keeps ${most} bytes; at most ${MOST_TALLY} are allowed`,
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

/** As the hub asks: each envelope is folded, then looked at. */
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
  assertJson(tally, 'what it keeps');
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
