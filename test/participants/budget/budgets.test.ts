// Budgets of a participant: checked before a call, counted after it, restored after a restart.

import fc from 'fast-check';
import type { Session } from 'parley-hub/client';
import { budgetWithin, turnWithin } from 'parley-hub/expectations/entries';
import { type AgentReply, type Budget, createRole, type Participant } from 'parley-hub/participants';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type WireCode, WireError } from '../../../src/core/lib/errors.ts';
import { AgentError } from '../../../src/participants/agent/agent-error.ts';
import { Account } from '../../../src/participants/budget/account.ts';
import { Budgets } from '../../../src/participants/budget/budgets.ts';
import { TurnMeter } from '../../../src/participants/budget/turn-meter.ts';
import { UNKNOWN_USAGE } from '../../../src/participants/models/index.ts';
import { Stage } from '../stage.ts';
import { type Line, ScriptedModel } from '../tools/scripted-model.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.start();
});

const lines = (): string[] => stage.told.filter((line) => /^bob (said|failed)/.test(line));

/** alice asks bob in `questions` sessions; returns the outcomes. */
async function asked(budget: Budget, model: ScriptedModel, questions = 1): Promise<string[]> {
  await stage.join('bob', model.agent(), { budget });
  const alice = await stage.client('alice');
  for (let i = 1; i <= questions; i += 1) {
    const session = await stage.done(alice.open('consulting', ['bob']));
    await stage.done(session.send('why?'));
    await stage.until(() => lines().length === i, `answer ${i}`);
  }
  return lines();
}

function priced(...script: readonly Line[]): ScriptedModel {
  const model = new ScriptedModel(...script);
  model.guess = { prompt: 10, most: 5, price: 0.01 };
  return model;
}

/** A conversation of alice and bob in which each `ask` gets one answer. */
async function conversation(): Promise<{ session: Session; ask(): Promise<void> }> {
  const alice = await stage.client('alice');
  const session = await stage.done(alice.open('conversation', ['bob']));
  let count = lines().length;
  const ask = async (): Promise<void> => {
    count += 1;
    await stage.done(session.send('and?'));
    await stage.until(() => lines().length === count, `answer ${count}`);
  };
  return { session, ask };
}

async function restarted(bob: Participant, agent: ScriptedModel, budget: Budget): Promise<Participant> {
  await stage.done(bob.close());
  return stage.join('bob', agent.agent(), { budget });
}

describe('options', () => {
  it.each([
    [{ perWeek: {} }, 'budget.perWeek: unknown limit; valid: perTurn, perSession, total, unpriced'],
    [{ total: 5 }, 'budget.total: expected an object, got 5'],
    [{ total: { euros: 5 } }, 'budget.total.euros: unknown limit; valid: usd, tokens, turns'],
    [{ perTurn: { turns: 5 } }, 'budget.perTurn.turns: unknown limit; valid: usd, tokens'],
    [{ total: { tokens: 1.5 } }, 'budget.total.tokens: expected a whole number >= 0, got 1.5'],
    [{ perSession: { usd: -1 } }, 'budget.perSession.usd: expected dollars from 0 to 1,000,000, got -1'],
    [{ unpriced: 'guess' }, 'budget.unpriced: expected "refuse" or "count_as_zero", got "guess"'],
  ])('[BU1] rejects %j before anyone connects', async (budget, message) => {
    const joining = stage.join('bob', new ScriptedModel('x').agent(), { budget: budget as Budget });
    await expect(joining).rejects.toThrow(message);
  });
});

describe('before a call', () => {
  it('[BU2] checks the need of a call against each limit; the error names limit, usage and need', async () => {
    const model = new ScriptedModel('So.');
    const told = await asked({ total: { tokens: 29 } }, model, 2);
    expect(told).toEqual([
      'bob said So.',
      'bob failed: scripted/m-1: the budget of bob in all is 29 tokens; 15 tokens used; this call may need 15 tokens (about 10 tokens for the prompt, up to 5 for the answer)',
    ]);
    expect(model.asked).toHaveLength(1);
  });

  it('[BU2] reports a rejected call as a failed turn, visible to the others', async () => {
    const bob = await stage.join('bob', new ScriptedModel('So.').agent(), { budget: { perSession: { tokens: 10 } } });
    const alice = await stage.client('alice');
    const expectations = [turnWithin(60, 'notify_session', { onFailure: true })];
    const session = await stage.done(alice.open('consulting', { participants: ['bob'], expectations }));
    await stage.done(session.send('why?'));
    await stage.until(() => lines().length === 1, 'the failure');
    await stage.world.pass(2_000);
    const violated = (await stage.log(session)).find(({ event_type }) => event_type === 'expectation.violated');
    expect(JSON.stringify(violated?.event_data)).toMatch(/bob, .*reported that it failed/);
    const bobs = await stage.log(bob.client.session(session.id));
    expect(bobs.find(({ event_type }) => event_type === 'task.failed')?.event_data).toMatchObject({
      reason: expect.stringMatching(/the budget of bob for a session is 10 tokens; 0 tokens used; this call may/),
    });
  });

  it('[BU3] limits an unbounded answer to the remaining budget, and does not start it below 256 tokens', async () => {
    const model = new ScriptedModel('So.');
    model.guess = { prompt: 100, most: null, price: 0.01 };
    const told = await asked({ perTurn: { usd: 20 }, total: { tokens: 450 } }, model, 1);
    expect(told).toEqual(['bob said So.']);
    expect(model.asked[0]?.maxTokens).toBe(350);
    stage = await Stage.start();
    const less = new ScriptedModel('So.');
    less.guess = { prompt: 100, most: null, price: 0.01 };
    const [refused] = await asked({ perTurn: { usd: 3.5 } }, less);
    expect(refused).toContain('the budget of bob for a turn is 3.5 USD; 0 USD used; this call may need 3.56 USD');
    expect(less.asked).toEqual([]);
  });

  it('[BU4] rejects a model without a price under a USD limit, unless unknown prices count as 0', async () => {
    const [refused] = await asked({ total: { usd: 1 } }, new ScriptedModel('So.'));
    expect(refused).toBe(
      'bob failed: scripted/m-1: the budget of bob in all is 1 USD, but scripted/m-1 has no known price, so it cannot be enforced; set `prices`, or count unknown prices as 0 (budget.unpriced: "count_as_zero")',
    );
    stage = await Stage.start();
    const counted = await asked({ total: { usd: 1 }, unpriced: 'count_as_zero' }, new ScriptedModel('So.'), 2);
    expect(counted).toEqual(['bob said So.', 'bob said So.']);
  });

  it('[BU4] does not call an agent with unknown cost again under a USD limit', async () => {
    const reply: AgentReply = { text: 'So.', cost_usd: null };
    await stage.join('bob', async () => reply, { budget: { perSession: { usd: 1 } } });
    const { ask } = await conversation();
    await ask();
    await ask();
    expect(lines()[1]).toContain('is 1 USD, but the cost of 1 earlier answers is unknown');
  });

  it('[BU4] does not call an agent without any cost report again, even in a later run', async () => {
    const budget: Budget = { perSession: { usd: 1 } };
    const bob = await stage.join('bob', async () => 'So.', { budget });
    const { session, ask } = await conversation();
    await ask();
    await ask();
    expect(lines()[1]).toContain('is 1 USD, but the cost of 1 earlier answers is unknown');
    await stage.done(bob.close());
    await stage.join('bob', async () => 'So.', { budget });
    await stage.done(session.send('and?'));
    await stage.until(() => lines().length === 3, 'the refusal');
    expect(lines()[2]).toContain('the cost of 1 earlier answers is unknown');
  });

  it('[BU4] accepts agents without cost reports if they count as 0, and adds the metered cost of calls', async () => {
    await stage.join('bob', async () => 'So.', { budget: { total: { usd: 1 }, unpriced: 'count_as_zero' } });
    const { ask } = await conversation();
    for (let i = 0; i < 2; i += 1) await ask();
    expect(lines()).toEqual(['bob said So.', 'bob said So.']);
    stage = await Stage.start();
    const model = priced({ text: 'So.', cost_usd: 0.15 }).agent();
    const silent = async (...turn: Parameters<typeof model>) => {
      const answer = await model(...turn);
      return typeof answer === 'string' ? answer : answer.text;
    };
    const bob = await stage.join('bob', silent, { budget: { perSession: { usd: 1 } } });
    const again = await conversation();
    for (let i = 0; i < 2; i += 1) await again.ask();
    expect(lines()).toEqual(['bob said So.', 'bob said So.']);
    await stage.done(bob.close());
    await stage.join('bob', silent, { budget: { perSession: { usd: 1 } } });
    await again.ask();
    expect(lines()).toHaveLength(3);
    expect(lines()[2]).toBe('bob said So.');
  });

  it('[BU5] counts turns when they are answered', async () => {
    await stage.join('bob', new ScriptedModel('So.').agent(), { budget: { perSession: { turns: 2 } } });
    const { ask } = await conversation();
    for (let i = 0; i < 3; i += 1) await ask();
    expect(lines()[2]).toBe('bob failed: bob: the budget of bob for a session allows 2 turns; 2 taken');
  });

  it('[BU5] concurrent turns respect the limit, and a failed one is free again', async () => {
    let begun = 0;
    const ends: ((said: string | Error) => void)[] = [];
    const model = new ScriptedModel(async () => {
      begun += 1;
      const said = await new Promise<string | Error>((resolve) => ends.push(resolve));
      if (said instanceof Error) throw said;
      return said;
    });
    await stage.join('bob', model.agent(), { budget: { total: { turns: 2 } } });
    const alice = await stage.client('alice');
    const ask = async (): Promise<void> => {
      const session = await stage.done(alice.open('consulting', ['bob']));
      await stage.done(session.send('why?'));
    };
    for (let i = 0; i < 4; i += 1) await ask();
    await stage.until(() => lines().length === 2, 'two refusals');
    expect(begun).toBe(2);
    const refused = 'bob failed: bob: the budget of bob in all allows 2 turns;';
    expect(lines()).toEqual([`${refused} 0 taken, 2 open`, `${refused} 0 taken, 2 open`]);
    ends[0]?.(new Error('no'));
    await stage.until(() => lines().length === 3, 'the failure');
    await ask();
    await stage.until(() => begun === 3, 'another turn');
    for (const end of ends) end('So.');
    await stage.until(() => lines().length === 5, 'two answers');
    await ask();
    await stage.until(() => lines().length === 6, 'a refusal');
    expect(lines().slice(2)).toEqual(['bob failed: no', 'bob said So.', 'bob said So.', `${refused} 2 taken`]);
  });

  it('[BU6] concurrent turns do not spend the same budget twice', async () => {
    let begun = 0;
    const model = new ScriptedModel(() => {
      begun += 1;
      return new Promise(() => {});
    });
    await stage.join('bob', model.agent(), { budget: { total: { tokens: 29 } } });
    const alice = await stage.client('alice');
    for (let i = 0; i < 2; i += 1) {
      const session = await stage.done(alice.open('consulting', ['bob']));
      await stage.done(session.send('why?'));
    }
    await stage.until(() => lines().length === 1, 'a refusal');
    expect(begun).toBe(1);
    expect(lines()[0]).toContain('0 tokens used and 15 tokens reserved; this call may need 15 tokens');
  });
});

describe('after a call', () => {
  it('[BU7] counts the reported cost of all rounds; exceeding the limit is allowed once', async () => {
    const model = priced({ calls: [['peers', {}]], cost_usd: 0.1 }, { text: 'So.', cost_usd: 0.2 }, { text: 'Again.' });
    const bob = await stage.join('bob', model.agent(), { tools: true, budget: { perSession: { usd: 0.3 } } });
    const { ask } = await conversation();
    await ask();
    await ask();
    expect(lines()).toEqual([
      'bob said So.',
      'bob failed: bob: the budget of bob for a session is 0.3 USD; 0.3 USD used; nothing is left',
    ]);
    expect(bob.name).toBe('bob');
  });

  it('[BU7] fails the turn when a further round does not fit the limit', async () => {
    const model = priced({ calls: [['peers', {}]], cost_usd: 0.2 }, { text: 'x' });
    await stage.join('bob', model.agent(), { tools: true, budget: { perTurn: { usd: 0.3 } } });
    const { ask } = await conversation();
    await ask();
    expect(lines()[0]).toContain('the budget of bob for a turn is 0.3 USD; 0.2 USD used; this call may need 0.15 USD');
    expect(model.asked).toHaveLength(1);
  });

  it('[BU7] counts usage and cost of a failed call', async () => {
    const usage = { ...UNKNOWN_USAGE, input_tokens: 10, output_tokens: 5 };
    const call = { class: 'parse', status: 200, code: null, request_id: null, retries: 1 } as const;
    const told = { ...call, usage, cost_usd: 0.2, refuses_forced_tools: false };
    const failure = new AgentError('bad_output', 'no JSON', { tool: 'm-1', call: told });
    await stage.join('bob', priced(failure).agent(), { budget: { perSession: { usd: 0.3, tokens: 100 } } });
    const { ask } = await conversation();
    await ask();
    await ask();
    expect(lines()[1]).toContain('for a session is 0.3 USD; 0.2 USD used; this call may need 0.15 USD');
  });

  it('[BU7] estimates unreported tokens, since a limit must count something', async () => {
    const model = new ScriptedModel({ text: 'So it is, more or less.', used: [null, null] });
    const told = await asked({ total: { tokens: 29 } }, model, 2);
    // 10 for the prompt, and 6 for 23 bytes of answer.
    expect(told[1]).toContain('in all is 29 tokens; 16 tokens used');
  });

  it('[BU8] counts nothing for invisible sessions, but fails on an unreadable log', async () => {
    let code: WireCode = 'forbidden';
    const next = (): Promise<never> => Promise.reject(new WireError(code, 'no'));
    const log = () => ({ [Symbol.asyncIterator]: () => ({ next }) });
    const client = {
      name: 'bob',
      agentId: 'agt_bob',
      session: () => ({ log }),
      async *sessions() {
        yield { session_id: 'ses_1' };
      },
    };
    const session = { session: { manifest: { expectations: [] } } };
    const begin = (): Promise<unknown> =>
      new Budgets(client as never, { total: { turns: 1 } }).begin({ id: 'ses_2' } as never, session as never);
    await expect(begin()).resolves.toBeInstanceOf(TurnMeter);
    code = 'not_found';
    await expect(begin()).resolves.toBeInstanceOf(TurnMeter);
    code = 'unavailable';
    await expect(begin()).rejects.toThrow('no');
  });

  it('[BU8] a later run counts from the logs, including ended sessions', async () => {
    const budget = { perSession: { tokens: 45 }, total: { tokens: 60, usd: 1 }, unpriced: 'count_as_zero' } as const;
    const model = () => new ScriptedModel({ text: 'So.', cost_usd: 0.1 });
    let bob = await stage.join('bob', model().agent(), { budget });
    await stage.ask('why?', 'consulting', 'alice0');
    await stage.until(() => stage.told.includes('bob over: consulting_complete'), 'the end of the first');
    const { ask } = await conversation();
    await ask();
    bob = await restarted(bob, model(), budget);
    await ask();
    bob = await restarted(bob, model(), budget);
    await ask();
    expect(lines().slice(0, 4)).toEqual(Array(4).fill('bob said So.'));
    bob = await restarted(bob, model(), budget);
    await ask();
    expect(lines()[4]).toContain('for a session is 45 tokens; 45 tokens used; nothing is left');
    await restarted(bob, model(), { total: { tokens: 60 } });
    await ask();
    expect(lines()[5]).toContain('in all is 60 tokens; 60 tokens used; nothing is left');
  });

  it('[BU7] adds dollars exactly', () => {
    const billionths = fc.array(fc.integer({ min: 0, max: 3_000_000_000 }), { maxLength: 40 });
    fc.assert(
      fc.property(billionths, (costs) => {
        const account = new Account('it', { usd: 1_000 }, 'refuse');
        for (const cost of costs) {
          const meter = new TurnMeter([account]);
          meter.hold({ tool: 't', tokens: 0, usd: cost / 1e9 }).settle({ tokens: 0, usd: cost / 1e9 });
          meter.finish({ usd: cost / 1e9, tokens: 0, unpriced: 0 });
        }
        const sum = costs.reduce((a, b) => a + b, 0);
        expect(account.spent.usd).toBe(sum / 1e9);
        expect(account.left('usd')).toBe((1_000e9 - sum) / 1e9);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a role', () => {
  it('[BU7] pays the second model from the same budget', async () => {
    const second = priced({ calls: [['metadata', { ok: true }]], cost_usd: 0.1 });
    const schema = z.object({ ok: z.boolean() });
    const role = createRole(priced({ text: 'Fine.', cost_usd: 0.1 }).agent(), 'p', schema, {
      strategies: ['model'],
      model: second,
    });
    await stage.join('bob', role.agent, { budget: { perTurn: { usd: 0.2 } } });
    const { ask } = await conversation();
    await ask();
    expect(lines()[0]).toContain('for a turn is 0.2 USD; 0.1 USD used; this call may need 0.15 USD');
    expect(second.asked).toEqual([]);
  });
});

describe('sessions and delegations', () => {
  const delegating = (args: object, text = 'Well.') =>
    priced(
      { calls: [['delegate', { to: 'carol', question: 'Is it so?', ...args }]], cost_usd: 0.1 },
      { text, cost_usd: 0.1 },
    );

  it('[BU9] a session budget stops its participants before it is spent', async () => {
    const model = priced({ text: 'So.', cost_usd: 0.15 });
    await stage.join('bob', model.agent());
    const alice = await stage.client('alice');
    const expectations = [budgetWithin({ usd: 0.3 }, 'auto_close')];
    const session = await stage.done(alice.open('conversation', { participants: ['bob'], expectations }));
    for (const count of [1, 2]) {
      await stage.done(session.send({ event_type: 'msg.text', event_data: { text: 'and?', cost_usd: 0.01 } }));
      await stage.until(() => lines().length === count, `answer ${count}`);
    }
    expect(lines()[1]).toContain('the budget of the session is 0.3 USD; 0.17 USD used; this call may need 0.15 USD');
    expect((await stage.done(session.info())).session.state).toBe('ACTIVE');
  });

  it('[BU10] a delegation gets a share of the remaining budget, and its cost counts', async () => {
    await stage.join('carol', priced({ text: 'Yes.', cost_usd: 0.2 }).agent());
    const model = delegating({});
    const bob = await stage.join('bob', model.agent(), { tools: true, budget: { perSession: { usd: 0.6 } } });
    const { ask } = await conversation();
    await ask();
    // A quarter (0.15) was reserved; carol spent more than estimated, and all of it counts.
    expect(model.data()).toMatchObject({ status: 'answered', answer: 'Yes.', spent: { usd: 0.2 } });
    await ask();
    await ask();
    expect(lines().slice(0, 2)).toEqual(['bob said Well.', 'bob said Well.']);
    expect(lines()[2]).toContain('for a session is 0.6 USD; 0.5 USD used; this call may need 0.15 USD');
    // Counted once, also by a later run.
    await restarted(bob, priced('Again.'), { perSession: { usd: 0.6 } });
    await ask();
    expect(lines()[3]).toContain('for a session is 0.6 USD; 0.5 USD used; this call may need 0.15 USD');
  });

  it('[BU10] counts a question delegated twice in a turn once', async () => {
    await stage.join('carol', priced({ text: 'Yes.', cost_usd: 0.1 }).agent());
    const question = ['delegate', { to: 'carol', question: 'Is it so?' }] as const;
    const model = priced({ calls: [question, question], cost_usd: 0.1 }, { text: 'So.', cost_usd: 0.1 });
    model.guess = { prompt: 10, most: 5, price: 0.01 };
    await stage.join('bob', model.agent(), { tools: true, budget: { perSession: { usd: 0.8 } } });
    const { ask } = await conversation();
    await ask();
    model.guess = { prompt: 10, most: 5, price: 0.05 };
    await ask();
    expect(lines()[0]).toBe('bob said So.');
    expect(lines()[1]).toContain('is 0.8 USD; 0.3 USD used; this call may need 0.75 USD');
  });

  it('[BU10] counts an earlier delegation once when the turn is retried', async () => {
    await stage.join('carol', priced({ text: 'Yes.', cost_usd: 0.1 }).agent());
    const budget = { perSession: { usd: 1 } };
    const question = { calls: [['delegate', { to: 'carol', question: 'Is it so?' }]] as const, cost_usd: 0.1 };
    const first = priced(question, () => new Promise(() => {}));
    const bob = await stage.join('bob', first.agent(), { tools: true, budget, graceMs: 1 });
    const { session } = await stage.ask('and?', 'conversation');
    await stage.until(() => first.asked.length === 2, 'the answer of carol');
    const closing = bob.close();
    await stage.world.pass(10);
    await stage.done(closing);
    const second = priced(
      { calls: [...question.calls, ...question.calls], cost_usd: 0.1 },
      { text: 'So.', cost_usd: 0.1 },
    );
    second.guess = { prompt: 10, most: 5, price: 0.05 };
    await stage.join('bob', second.agent(), { tools: true, budget });
    await stage.until(() => lines().length === 1, 'the answer of bob');
    // 0.1 by carol and 0.1 by the first call; a second call of 0.75 still fits, a third does not.
    expect(lines()).toEqual(['bob said So.']);
    await stage.done(session.send('and?'));
    await stage.until(() => lines().length === 2, 'a refusal');
    expect(lines()[1]).toContain('is 1 USD; 0.3 USD used');
  });

  it('[BU10] rejects more than is left with a result the model can handle', async () => {
    await stage.join('carol', priced('Yes.').agent());
    const model = delegating({ budget_usd: 0.95 });
    await stage.join('bob', model.agent(), { tools: true, budget: { perSession: { usd: 1 } } });
    const { ask } = await conversation();
    await ask();
    expect(model.told[0]).toBe(
      'Error: delegate: the budget of bob for a session is 1 USD; 0.1 USD used; this call may need 0.95 USD (the reserved budget)',
    );
    expect(lines()).toEqual(['bob said Well.']);
  });

  it('[BU10] keeps the delegate within the reserved budget, and reports a failure immediately', async () => {
    const carol = priced('Yes.');
    await stage.join('carol', carol.agent());
    const model = delegating({ budget_usd: 0.1 });
    await stage.join('bob', model.agent(), { tools: true, budget: { perSession: { usd: 1 } } });
    await stage.ask('and?', 'conversation');
    await stage.until(() => stage.told.some((line) => line.startsWith('carol failed')), 'the refusal of carol');
    await stage.world.pass(2_000);
    await stage.until(() => lines().length === 1, 'the answer of bob');
    expect(model.data()).toMatchObject({
      status: 'failed',
      reason:
        'scripted/m-1: the budget of the session is 0.1 USD; 0 USD used; this call may need 0.15 USD (about 10 tokens for the prompt, up to 5 for the answer)',
      spent: { usd: 0 },
    });
    expect(carol.asked).toEqual([]);
  });

  it('[BU10] adds a share to delegations in a session with a budget', async () => {
    await stage.join('carol', priced({ text: 'Yes.', cost_usd: 0.2 }).agent());
    const model = delegating({});
    await stage.join('bob', model.agent(), { tools: true });
    const alice = await stage.client('alice');
    const expectations = [budgetWithin({ usd: 1 }, 'auto_close')];
    const session = await stage.done(alice.open('conversation', { participants: ['bob'], expectations }));
    await stage.done(session.send('and?'));
    await stage.until(() => lines().length === 1, 'the answer of bob');
    expect(model.data()).toMatchObject({ status: 'answered', spent: { usd: 0.2 } });
  });
});
