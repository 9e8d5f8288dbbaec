// Roles over any agent: answers, the one correction, and failures.

import {
  AgentError,
  createRole,
  ExtractError,
  isAgentError,
  isExtractError,
  type StandardSchema,
} from 'parley-hub/participants';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
// Another library without JSON Schema.
import { z as z3 } from 'zod/v3';
import { watchedTurn } from '../watched-turn.ts';
import { byHand, ctx, meta, okSchema, scripted, type Verdict } from './fixtures.ts';

const usage = (input_tokens: number, output_tokens: number) => ({
  input_tokens,
  cache_read_tokens: 0,
  cache_write_tokens: null,
  output_tokens,
  reasoning_tokens: null,
});

describe('a role', () => {
  it('[RL1] returns the answer verbatim and the output of the schema', async () => {
    const { agent } = scripted(meta('{"ok":true,"more":1}'));
    const role = createRole(agent, 'You are a reviewer.', z.object({ ok: z.boolean(), by: z.string().default('me') }));
    expect(await role(ctx)).toEqual({ content: meta('{"ok":true,"more":1}'), meta: { ok: true, by: 'me' } });
    expect([role.prompt, Object.keys(role)]).toEqual(['You are a reviewer.', ['prompt', 'schema', 'agent']]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('boom')), 'boom'],
    ['returns nothing', () => undefined, 'expected {value} or {issues}, got nothing'],
  ])('[RL1] fails without a correction if the schema %s', async (_, validate, why) => {
    const { agent, asked } = scripted({ text: meta('{"ok":true}'), usage: usage(10, 5), cost_usd: 0.1 });
    const schema = { '~standard': { version: 1, vendor: 'x', validate } } as unknown as StandardSchema<Verdict>;
    const error = await createRole(agent, 'p', schema)(ctx).catch((thrown: unknown) => thrown);
    expect(isAgentError(error)).toBe(true);
    expect(error).toMatchObject({
      kind: 'bad_output',
      message: `extract: the schema of the role failed: ${why}`,
      details: { call: { cost_usd: 0.1 } },
    });
    expect(asked).toHaveLength(1);
  });

  it('[RL1] accepts schemas of any library, including asynchronous ones', async () => {
    const slow: StandardSchema<Verdict> = {
      '~standard': { ...byHand['~standard'], validate: async (value) => byHand['~standard'].validate(value) },
    };
    const refined = z.object({ ok: z.boolean().refine(async (ok) => ok, 'it must be good') });
    expect(await createRole(scripted(meta('{"ok":true}')).agent, 'p', byHand)(ctx)).toMatchObject({
      meta: { ok: true },
    });
    expect(await createRole(scripted(meta('{"ok":true}')).agent, 'p', slow)(ctx)).toMatchObject({ meta: { ok: true } });
    const third = createRole(scripted(meta('{"ok":true}')).agent, 'p', z3.object({ ok: z3.boolean() }));
    const isOk: boolean = (await third(ctx)).meta.ok;
    expect(isOk).toBe(true);
    const never = createRole(scripted(meta('{"ok":false}')).agent, 'p', refined, { corrections: 0 });
    await expect(never(ctx)).rejects.toMatchObject({ issues: [{ path: 'ok', message: 'it must be good' }] });
  });

  it('[RL1] tells its agent how to write metadata, after both prompts', async () => {
    const { agent, asked } = scripted(meta('{"ok":true}'), meta('{"ok":true}'), '{"ok":true}');
    const schema = z.object({ ok: z.boolean() });
    await createRole(agent, 'You are a reviewer.', schema).agent(ctx, 'Be brief.');
    await createRole(agent, 'p', byHand)(ctx);
    await createRole(agent, 'p', schema, { instruct: false })(ctx);
    const [told, without, nothing] = asked.map(({ systemPrompt }) => systemPrompt);
    expect(told).toMatch(
      /^You are a reviewer\.\n\nBe brief\.\n\nEnd your answer with its metadata, a JSON object of this JSON Schema: \{"type":"object"/,
    );
    expect(told).toMatch(/```json meta and ends with a line ```$/);
    expect(without).toMatch(/^p\n\nEnd your answer with its metadata, a JSON object\n/);
    expect(nothing).toBe('p');
  });

  it('[RL2] is an agent too, whose replies add the metadata', async () => {
    const { agent } = scripted({ text: meta('{"ok":true}'), meta: { stop: 'end', ok: 'no' }, native_session_id: 's1' });
    const reply = await createRole(agent, 'p', byHand).agent(ctx, '');
    expect(reply).toEqual({ text: meta('{"ok":true}'), meta: { stop: 'end', ok: true }, native_session_id: 's1' });
  });

  it('[RL2] passes on the input if the output is not JSON', async () => {
    const { agent } = scripted(meta('{"at":"2026-10-20"}'), meta('{"at":"2026-10-20"}'));
    const role = createRole(agent, 'p', z.object({ at: z.coerce.date() }));
    expect(await role(ctx)).toMatchObject({ meta: { at: new Date('2026-10-20') } });
    expect(await role.agent(ctx, '')).toMatchObject({ meta: { at: '2026-10-20' } });
  });
});

describe('a correction', () => {
  it('[RL6] quotes the schema’s issue, and takes the whole new answer', async () => {
    const { agent, asked } = scripted(meta('{"ok":"yes"}'), meta('{"ok":true}'));
    const role = createRole(agent, 'p', byHand);
    expect(await role(ctx)).toEqual({ content: meta('{"ok":true}'), meta: { ok: true } });
    expect(asked).toHaveLength(2);
    expect(asked[1]?.systemPrompt).toBe(asked[0]?.systemPrompt);
    expect(asked[1]?.ctx).toMatchObject({
      threadId: 't1',
      start: ctx.start,
      steps: [
        { role: 'assistant', content: meta('{"ok":"yes"}') },
        { role: 'user', content: expect.stringContaining('ok: expected true or false, got "yes"') },
      ],
    });
  });

  it('[RL6] also applies to an answer without metadata', async () => {
    const { agent, asked } = scripted('It is good.', meta('{"ok":true}'));
    expect(await createRole(agent, 'p', byHand)(ctx)).toMatchObject({ meta: { ok: true } });
    expect(asked[1]?.ctx.steps.at(-1)?.content).toContain(
      'cannot be used: the answer has no front matter and no block of JSON\n',
    );
  });

  it('[RL6] happens once, then fails with ExtractError, the last answer and its issues', async () => {
    const { agent, asked } = scripted(meta('{"ok":1}'), meta('{"ok":2}'), meta('{"ok":true}'));
    const error: unknown = await createRole(agent, 'p', byHand)(ctx).catch((thrown: unknown) => thrown);
    expect(asked).toHaveLength(2);
    expect(error).toBeInstanceOf(ExtractError);
    expect(error).toMatchObject({
      name: 'ExtractError',
      kind: 'bad_output',
      raw: meta('{"ok":2}'),
      issues: [{ path: 'ok', message: 'expected true or false, got 2' }],
      message:
        'extract: no metadata that matches the schema, even after a correction: ok: expected true or false, got 2',
      details: { call: { class: 'parse', retries: 1 } },
    });
    const timeout = new AgentError('timeout', '', { tool: 't' });
    expect([isAgentError(error), isExtractError(error), isExtractError(timeout)]).toEqual([true, true, false]);
  });

  it('[RL6] can be disabled', async () => {
    const { agent, asked } = scripted(meta('{}'));
    const error = await createRole(agent, 'p', byHand, { corrections: 0 })(ctx).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: 'extract: no metadata that matches the schema: ok: expected true or false, got undefined',
    });
    expect(asked).toHaveLength(1);
  });

  it('[RL6] quotes a limited number of issues', async () => {
    const keys = Array.from({ length: 50 }, (_, i) => `k${i}`);
    const schema = z.object(Object.fromEntries(keys.map((key) => [key, z.string()])));
    const { agent, asked } = scripted(meta('{}'), meta('{}'));
    const error: unknown = await createRole(agent, 'p', schema)(ctx).catch((thrown: unknown) => thrown);
    expect(isExtractError(error) && error.issues).toHaveLength(50);
    expect(asked[1]?.ctx.steps.at(-1)?.content).toMatch(/k0: .*; k19: .*; and 30 more/);
  });

  it('[RL10] is not streamed, and resumes the tool session', async () => {
    const { agent, asked } = scripted({ text: meta('{}'), native_session_id: 's1' }, meta('{"ok":true}'));
    const turn = watchedTurn();
    await createRole(agent, 'p', byHand)(ctx, turn);
    expect(turn.deltas).toEqual([meta('{}')]);
    expect(turn.progress.map(({ text }) => text)).toEqual([
      'asking for the metadata again: ok: expected true or false, got undefined',
    ]);
    const expected = { idempotencyKey: 'k:correction', nativeSessionId: 's1', signal: turn.signal };
    expect(asked[1]?.turn).toMatchObject(expected);
  });

  it('[RL6] keeps the route of the first answer unless the second has one', async () => {
    const handoff = (to: string) => ({ name: 'handoff', arguments: { to } });
    const first = { text: 'So.', tool_calls: [handoff('bob')] };
    const kept = scripted(first, meta('{"ok":true}'));
    const changed = scripted(first, { text: meta('{"ok":true}'), tool_calls: [handoff('eve')] });
    expect(await createRole(kept.agent, 'p', byHand)(ctx)).toMatchObject({ tool_calls: [handoff('bob')] });
    expect(await createRole(changed.agent, 'p', byHand)(ctx)).toMatchObject({ tool_calls: [handoff('eve')] });
  });
});

describe('an answer that only passes the turn on', () => {
  const handoff = (message?: string) => ({
    text: '',
    tool_calls: [{ name: 'handoff', arguments: message === undefined ? { to: 'bob' } : { to: 'bob', message } }],
  });

  it('[RL4] takes metadata from the message it passes on', async () => {
    const { agent } = scripted(handoff(meta('{"ok":true}')));
    const { content, meta: found, tool_calls } = await createRole(agent, 'p', byHand)(ctx);
    expect([content, found, tool_calls?.length]).toEqual([meta('{"ok":true}'), { ok: true }, 1]);
  });

  it('[RL6] is corrected if it has none', async () => {
    const { agent, asked } = scripted(handoff(), handoff(meta('{"ok":true}')));
    expect(await createRole(agent, 'p', byHand)(ctx)).toMatchObject({ meta: { ok: true } });
    expect(asked[1]?.ctx.steps.map(({ content }) => content === '')).toEqual([true, false]);
  });
});

describe('usage and cost', () => {
  it('[RL10] are the sum of all calls, unknown if one is unknown', async () => {
    const { agent } = scripted(
      { text: '', usage: usage(100, 10), cost_usd: 0.1 },
      { text: meta('{"ok":true}'), usage: usage(200, 20), cost_usd: 0.2 },
    );
    const { usage: sum, cost_usd } = await createRole(agent, 'p', byHand)(ctx);
    expect([sum, cost_usd]).toEqual([usage(300, 30), 0.3]);
    const unpriced = scripted({ text: '', cost_usd: 0.1 }, { text: meta('{"ok":true}'), cost_usd: null });
    expect(await createRole(unpriced.agent, 'p', byHand)(ctx)).toMatchObject({ cost_usd: null });
  });

  it('[RL10] are in the error too', async () => {
    const first = { text: '', usage: usage(100, 10), cost_usd: 0.1 };
    const wrong = scripted(first, { text: '', usage: usage(1, 1), cost_usd: 0.01 });
    await expect(createRole(wrong.agent, 'p', byHand)(ctx)).rejects.toMatchObject({
      name: 'ExtractError',
      details: { call: { usage: usage(101, 11), cost_usd: 0.11 } },
    });
    const failed = scripted(first, new AgentError('timeout', 'no end in sight', { tool: 'claude', partial: 'I' }));
    await expect(createRole(failed.agent, 'p', byHand)(ctx)).rejects.toMatchObject({
      name: 'AgentError',
      kind: 'timeout',
      message: 'claude: no end in sight',
      details: { tool: 'claude', partial: 'I', call: { usage: usage(100, 10), cost_usd: 0.1 } },
    });
  });

  it('[RL6] passes on the agent’s own failure, whatever it throws', async () => {
    const thrown = new TypeError('a defect');
    await expect(createRole(scripted(thrown).agent, 'p', byHand)(ctx)).rejects.toBe(thrown);
    const wrong = createRole(async () => ({ said: 1 }) as never, 'p', byHand);
    await expect(wrong(ctx)).rejects.toThrow('the agent: its answer: text: expected');
  });

  it('[RL10] stop with the turn: no further calls after cancellation', async () => {
    const cancel = new AbortController();
    const turn = watchedTurn({ signal: cancel.signal });
    const { agent, asked } = scripted(meta('{}'), meta('{"ok":true}'));
    const cancelling: typeof agent = async (...turnArguments) => {
      const answer = await agent(...turnArguments);
      cancel.abort();
      return answer;
    };
    const role = createRole(cancelling, 'p', byHand);
    await expect(role(ctx, turn)).rejects.toMatchObject({ kind: 'aborted' });
    expect(asked).toHaveLength(1);
  });
});

describe('[RL6] the correction of an answer without metadata', () => {
  it('tells the agent only what concerns its answer', async () => {
    const { agent, asked } = scripted('So.', meta('{"ok":true}'));
    await createRole(agent, 'p', byHand)(ctx);
    const told = asked.at(-1)?.ctx.steps.at(-1)?.content;
    expect(told).toMatch(
      /^The metadata of your answer cannot be used: the answer has no front matter and no block of JSON\n/,
    );
    const other = scripted('So.', meta('{"ok":true}'));
    await expect(createRole(other.agent, 'p', byHand, { strategies: ['tool'] })(ctx)).rejects.toThrow(
      'tool: the agent is not a model',
    );
    expect(other.asked.at(-1)?.ctx.steps.at(-1)?.content).toMatch(/cannot be used: no metadata found\n/);
  });
});

describe('[RL11] a schema without JSON Schema', () => {
  it('makes strategies unavailable, and the error says what to do', async () => {
    const model = { provider: 'p', model: 'm', complete: () => Promise.reject(new Error('it is not asked')) };
    const role = createRole(scripted('So.', 'So.').agent, 'p', byHand, { model });
    const error: unknown = await role(ctx).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      issues: [
        { message: 'answer: the answer has no front matter and no block of JSON' },
        { message: 'schema: the agent is not a model' },
        { message: 'tool: the agent is not a model' },
        { message: 'model: a schema of hand does not report its JSON Schema; pass one as extract.jsonSchema' },
      ],
    });
  });

  it('is reported with the reason of the library', () => {
    const schema = z.object({ at: z.date() });
    const model = { provider: 'p', model: 'm', complete: () => Promise.reject(new Error('it is not asked')) };
    const make = () => createRole(scripted().agent, 'p', schema, { model, strategies: ['model'] });
    expect(make).toThrow(/model: the schema has no JSON Schema \(Date cannot be represented/);
    const settings = { model, strategies: ['model'], jsonSchema: okSchema } as const;
    expect(() => createRole(scripted().agent, 'p', schema, settings)).not.toThrow();
  });
});
