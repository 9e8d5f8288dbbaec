import { discussion } from 'parley-hub/adapters/discussion';
import type {
  AcceptEvaluator,
  Evaluator,
  ExpectationEntry,
  Json,
  JsonObject,
  Params,
  ViolationHandler,
} from 'parley-hub/core';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { budgetWithin, maxTurns, noProgress } from 'parley-hub/expectations/entries';
import { describe, expect, it } from 'vitest';
import type { World, WorldOptions } from '../../../src/testing/doubles/world.ts';
import {
  ADAPTERS,
  aCast,
  aConversation,
  aWorld,
  foreignUnit,
  logOf,
  MINUTE,
  opened,
  recordEvents,
  refused,
  releaseHold,
  say,
  standing,
  text,
  types,
} from '../scene.ts';
import { violationsIn } from './scene.ts';

const adapters = [...ADAPTERS, discussion];

function talk(expectations: readonly ExpectationEntry[], options: Partial<WorldOptions> = {}) {
  return aConversation({}, options, { expectations });
}

function fired(world: World, id: string): readonly (readonly [entry: unknown, name: unknown, since: unknown])[] {
  return violationsIn(world, id).map(({ event_data: { entry, name, violators } }) => [
    entry,
    name,
    (violators as { since_seq: number }[])[0]?.since_seq,
  ]);
}

describe('the unit', () => {
  it('[EX20, LC8] is that of the envelope: stored with all effects, or not at all', async () => {
    const { world, alice, id } = await talk([maxTurns(1, 'auto_close')]);
    const before = logOf(world.store, id).length;
    world.hold = true;
    void alice.ask('post', text(id, 'one'));
    await world.settle();
    expect(world.store.stagedUnits()).toBe(1);
    expect(logOf(world.store, id)).toHaveLength(before);
    await releaseHold(world);
    expect(types(logOf(world.store, id)).slice(before, before + 3)).toEqual([
      'msg.text',
      'expectation.violated',
      'session.closing',
    ]);
  });

  it('[EX20, AM9] is judged again after a conflict, and fires at the limit of that moment', async () => {
    const { world, alice, bob, id } = await talk([maxTurns(2, 'audit')]);
    world.hold = true;
    void alice.ask('post', text(id, 'mine'));
    await world.settle();
    world.store.foreignAppend(id, foreignUnit(world, id, { sender_id: bob.agentId }));
    await releaseHold(world);
    expect(fired(world, id)).toEqual([[0, 'max_turns', 6]]);
  });

  it('[EX20] contains several firing entries in order, each at its own limit; after a closing one nothing fires', async () => {
    const expectations = [
      maxTurns(2, 'audit'),
      maxTurns(1, 'audit'),
      budgetWithin({ tokens: 0 }, 'audit'),
      maxTurns(3, 'auto_close'),
      maxTurns(3, 'audit'),
    ];
    const { world, alice, id } = await talk(expectations);
    for (const text of ['one', 'two', 'three']) {
      const event_data = { text, usage: { output: text === 'two' ? 1 : 0 } };
      await world.answer(alice.call('post', { session_id: id, event_type: 'msg.text', event_data }));
    }
    expect(fired(world, id)).toEqual([
      [1, 'max_turns', 5],
      [0, 'max_turns', 7],
      [2, 'budget_within', 7],
      [3, 'max_turns', 10],
    ]);
  });

  it.each(['auto_close', 'remove', 'hide', 'warn'])(
    '[EX20] keeps the adapter’s close reason; with %s the violation is only reported',
    async (handler) => {
      const { world, alice, bob } = await aCast(['alice', 'bob']);
      const expectations = [{ ...budgetWithin({ usd: 1 }, 'audit'), on_violation: handler }];
      const id = await opened(world, alice, [bob], { type: 'consulting', expectations });
      await say(world, alice, id, 'how much?');
      const event_data = { text: 'this much', cost_usd: 2 };
      await world.answer(bob.call('post', { session_id: id, event_type: 'msg.text', event_data }));
      expect(types(logOf(world.store, id)).slice(-4)).toEqual([
        'msg.text',
        'expectation.violated',
        'session.closing',
        'session.closed',
      ]);
      expect(await standing(world, alice, id)).toBe('CLOSED (consulting_complete): alice active, bob active');
      const heard = bob.notifies().filter(({ envelope }) => envelope.event_type === 'expectation.violated');
      expect(heard).toHaveLength(handler === 'warn' ? 1 : 0);
    },
  );

  it('[EX20, DI9] moves the turn of a participant hidden by its own post', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol'], {}, { adapters });
    const id = await opened(world, alice, [bob, carol], {
      type: 'discussion',
      knobs: { ordering: 'moderated' },
      expectations: [maxTurns(2, 'hide', { appliesTo: ['alice'] })],
    });
    expect((await say(world, alice, id, 'welcome')).turn?.agent_id).toBe(alice.agentId);
    const { turn, seq } = await say(world, alice, id, 'and again');
    expect(turn).toEqual({ agent_id: bob.agentId, since_seq: seq + 2 });
  });

  it('[EX20, RC3] tallies survive eviction, a restart and a crash', async () => {
    const { world, alice, bob, id } = await talk([
      noProgress(5, 'audit'),
      maxTurns(9, 'audit'),
      budgetWithin({ usd: 0.4 }, 'audit'),
    ]);
    const post = async (peer: typeof alice, words: string) => {
      const event_data = { text: words, cost_usd: 0.1 };
      await world.answer(peer.call('post', { session_id: id, event_type: 'msg.text', event_data }));
    };
    for (let i = 0; i < 2; i++) {
      await post(alice, 'same');
      world.hub.evictIdle();
      await post(bob, `other ${'x'.repeat(i)}`);
    }
    await world.restart();
    const again = await world.peer('alice');
    for (let i = 0; i < 3; i++) await post(again, 'same');
    expect(fired(world, id)).toEqual([
      [2, 'budget_within', 9],
      [0, 'no_progress', 12],
    ]);
  });
});

describe('max_turns', () => {
  it('[EX22] counts texts and packets, with applies_to only those of its participants', async () => {
    const { world, alice, bob, id } = await talk([maxTurns(2, 'audit', { appliesTo: ['bob'] })]);
    for (let i = 0; i < 3; i++) await say(world, alice, id, 'hello');
    await world.answer(bob.call('post', { session_id: id, event_type: 'x.note', event_data: { text: 'no turn' } }));
    await say(world, bob, id, 'one');
    expect(fired(world, id)).toEqual([]);
    const { seq } = await say(world, bob, id, 'two');
    await say(world, bob, id, 'three');
    expect(fired(world, id)).toEqual([[0, 'max_turns', seq]]);
  });
});

describe('budget_within', () => {
  const spend = (
    world: World,
    peer: Awaited<ReturnType<World['peer']>>,
    id: string,
    data: JsonObject,
    event_type = 'msg.text',
  ) => world.answer(peer.call('post', { session_id: id, event_type, event_data: { text: 'x', ...data } }));

  it('[EX21] fires once, at the first exceeded limit, counts all content and reports unpriced posts', async () => {
    const { world, alice, bob, id } = await talk([budgetWithin({ usd: 1, tokens: 100 }, 'notify_session')]);
    await spend(world, alice, id, { usage: { fresh: 40, cache_read: 10 }, cost_usd: null });
    await spend(world, bob, id, { usage: { output: 50 } }, 'x.note');
    await spend(world, bob, id, { cost_usd: 1 });
    expect(fired(world, id)).toEqual([]);
    const { seq } = await spend(world, alice, id, { usage: { cache_write: 1 }, cost_usd: 0 });
    await spend(world, alice, id, { cost_usd: 50 });
    expect(fired(world, id)).toEqual([[0, 'budget_within', seq]]);
    expect(violationsIn(world, id)[0]?.event_data.detail).toBe(
      `with seq ${seq} of alice 1 USD and 101 tokens are spent (2 unpriced), more than 1 USD or 100 tokens`,
    );
  });

  it.each<readonly [JsonObject, string]>([
    [{ usage: { fresh: -1 } }, 'event_data.usage.fresh'],
    [{ usage: { fresh: '1' } }, 'event_data.usage.fresh'],
    [{ usage: { fresh: 0.5 } }, 'event_data.usage.fresh'],
    [{ usage: [] }, 'event_data.usage'],
    [{ cost_usd: -0.01 }, 'event_data.cost_usd'],
    [{ cost_usd: '0' }, 'event_data.cost_usd'],
    [{ cost_usd: 1e300 }, 'event_data.cost_usd'],
  ])('[EX21, RE10] rejects %j by its field', async (data, field) => {
    const { world, alice, id } = await talk([budgetWithin({ usd: 1 }, 'audit')]);
    await refused(world, spend(world, alice, id, data), 'bad_frame', { field });
  });
});

describe('no_progress', () => {
  it('[EX23] detects two texts alternating, despite changed numbers and spaces', async () => {
    const { world, alice, bob, id } = await talk([noProgress(3, 'auto_close')]);
    for (let i = 1; i <= 3; i++) {
      await say(world, alice, id, `Please send  file ${i}!`);
      if (i < 3) await say(world, bob, id, `I have no file ${i * 17}.`);
    }
    expect(fired(world, id)).toEqual([[0, 'no_progress', 9]]);
    expect(await standing(world, alice, id)).toMatch(/^CLOSED \(expectation_violated:no_progress\)/);
  });
});

describe('custom evaluators and handlers', () => {
  /** Fires when a text ends with "!". */
  const noShouting: AcceptEvaluator = {
    name: 'no_shouting',
    version: 1,
    checkParams: () => null,
    fold: (shouts, { envelope }) => Number(shouts ?? 0) + (String(envelope.event_data.text).endsWith('!') ? 1 : 0),
    violators: ({ envelope, before, tally }) => (tally === (before ?? 0) ? [] : [envelope.sender_id]),
  };
  const breaks = (): never => {
    throw new Error('oops');
  };
  const quiet: ExpectationEntry = { name: 'no_shouting', on_violation: 'audit', params: {} };

  it('[EX20, EX7] are registered like others, and decide how often they fire', async () => {
    const { world, alice, id } = await talk([quiet], { evaluators: [...EVALUATORS, noShouting] });
    for (const text of ['well', 'now!', 'now!', 'fine']) await say(world, alice, id, text);
    expect(fired(world, id).map(([, , seq]) => seq)).toEqual([6, 8]);
    expect(violationsIn(world, id)[0]?.event_data.detail).toBe('alice with seq 6');
  });

  const NO_LIST = 'no_shouting: violators must be a list of participants or null';
  const faults: readonly [string, Partial<AcceptEvaluator>, Partial<ViolationHandler>, string][] = [
    ['a fold', { fold: breaks }, {}, 'oops'],
    ['violators', { violators: breaks }, {}, 'oops'],
    ['a description', { violators: () => [null], describe: breaks }, {}, 'oops'],
    ['a handler', { violators: () => [null] }, { act: breaks }, 'oops'],
    ['a non-participant as violator', { violators: () => ['nobody'] }, {}, NO_LIST],
    ['no list', { violators: () => null as never }, {}, NO_LIST],
  ];

  it.each(faults)(
    '[EX24, L8] %s that fails rejects nothing, is reported once per pause, and does not affect other entries',
    async (_what, fault, handler, message) => {
      const evaluators: readonly Evaluator[] = [...EVALUATORS, { ...noShouting, ...fault }];
      const handlers = [...HANDLERS, { name: 'grumble', version: 1, act: () => [], ...handler }];
      const expectations = [{ ...quiet, on_violation: 'grumble' }, maxTurns(2, 'audit')];
      const { world, alice, id } = await talk(expectations, { evaluators, handlers });
      for (let i = 0; i < 3; i++) await say(world, alice, id, 'hello!');
      const reported = async () =>
        (await world.hub.audit({ limit: 500 }))
          .filter(({ kind }) => kind === 'expectation_failed')
          .map((one) => one.detail);
      const failure = { entry: 0, name: 'no_shouting', on_violation: 'grumble', message };
      expect(await reported()).toEqual([failure]);
      expect(fired(world, id).map(([entry]) => entry)).toEqual([1]);
      await world.pass(MINUTE);
      await say(world, alice, id, 'hello!');
      expect(await reported()).toEqual([failure, failure]);
    },
  );

  it('[EX24] a failing fold keeps its tally, also when the log is folded again', async () => {
    const fussy: AcceptEvaluator = {
      ...noShouting,
      fold: (tally, { envelope }) => (envelope.event_data.text === 'bad' ? breaks() : Number(tally ?? 0) + 1),
      violators: ({ tally }) => (tally === 3 ? [null] : []),
    };
    const { world, alice, id } = await talk([quiet], { evaluators: [...EVALUATORS, fussy] });
    for (const text of ['one', 'bad', 'two']) await say(world, alice, id, text);
    await world.restart();
    const again = await world.peer('alice');
    await say(world, again, id, 'three');
    expect(fired(world, id).map(([, , seq]) => seq)).toEqual([8]);
  });

  it('[EX24, L1] a failure is reported once the envelope is durable', async () => {
    const evaluators = [...EVALUATORS, { ...noShouting, violators: breaks }];
    const { world, alice, id } = await talk([quiet], { evaluators });
    const failures = recordEvents(world, 'expectationFailed', ({ name }) => name);
    world.hold = true;
    void alice.ask('post', text(id, 'hello!'));
    await world.settle();
    expect(failures).toEqual([]);
    await releaseHold(world);
    expect(failures).toEqual(['no_shouting']);
  });

  it('[EX20, RC3] a tally that JSON would change is not saved: the session is folded from its start', async () => {
    const odd: AcceptEvaluator = {
      ...noShouting,
      fold: (tally) =>
        ({ n: Number((tally as { n?: number } | null)?.n ?? 0) + 1, lost: undefined }) as unknown as Json,
      violators: ({ tally }) => ((tally as { n: number }).n === 90 ? [null] : []),
    };
    const { world, alice, id } = await talk([quiet], { evaluators: [...EVALUATORS, odd] });
    for (let i = 0; i < 89; i++) await say(world, alice, id, `${i}`);
    world.hub.evictIdle();
    expect(await world.store.loadSnapshot(id)).toBeNull();
    await say(world, alice, id, 'the last');
    expect(fired(world, id)).toHaveLength(1);
  });

  it.each<readonly [string, object, string]>([
    ['of no kind', { waits: undefined, fold: undefined, violators: undefined }, 'waits must be a function'],
    ['of both', { waits: () => [] }, 'an evaluator has waits, or fold and violators; got both'],
    ['without violators', { violators: 7 }, 'evaluator no_shouting: violators must be a function'],
    ['without a fold', { fold: undefined }, 'evaluator no_shouting: fold must be a function'],
  ])('[EX7] one %s is rejected at registration', async (_what, change, message) => {
    const world = await aWorld();
    expect(() => world.hub.registerEvaluator({ ...noShouting, ...change } as Evaluator)).toThrow(message);
  });
});

it('[EX4] invalid parameters are rejected at creation, by the field', async () => {
  const { world, alice, bob } = await aCast(['alice', 'bob']);
  const wrong: readonly [ExpectationEntry, JsonObject][] = [
    [
      { name: 'max_turns', on_violation: 'audit', params: { turns: 0 } },
      { field: 'turns', expected: 'a whole number from 1 to 1000000', received: '0' },
    ],
    [
      { name: 'budget_within', on_violation: 'audit', params: {} },
      { field: 'usd', received: 'nothing' },
    ],
    [
      { name: 'no_progress', on_violation: 'audit', params: { repeats: 3, texts: 2 } },
      { field: 'texts', expected: 'one of repeats' },
    ],
  ];
  for (const [entry, details] of wrong) {
    const params: Params<'create_session'> = {
      type: 'conversation',
      participants: [bob.agentId],
      expectations: [entry],
    };
    const field = `expectations.0.params.${String(details.field)}`;
    await refused(world, alice.call('create_session', params), 'invalid_create', { ...details, field });
  }
});
