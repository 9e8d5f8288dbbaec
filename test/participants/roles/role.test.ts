// Roles over agents of any kind: what they answer, the one correction, and how they fail.

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
// Another library under the same roof, of another make: it knows nothing of JSON Schema.
import { z as z3 } from 'zod/v3';
import { byHand, ctx, meta, okSchema, scripted, type Verdict, watched } from './fixtures.ts';

const usage = (input_tokens: number, output_tokens: number) => ({
  input_tokens,
  cache_read_tokens: 0,
  cache_write_tokens: null,
  output_tokens,
  reasoning_tokens: null,
});

describe('a role', () => {
  it('[RL1] answers {content, meta}: the answer word for word, and what the schema made of its metadata', async () => {
    const { agent } = scripted(meta('{"ok":true,"more":1}'));
    const role = createRole(agent, 'You are a reviewer.', z.object({ ok: z.boolean(), by: z.string().default('me') }));
    expect(await role(ctx)).toEqual({ content: meta('{"ok":true,"more":1}'), meta: { ok: true, by: 'me' } });
    expect([role.prompt, Object.keys(role)]).toEqual(['You are a reviewer.', ['prompt', 'schema', 'agent']]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('boom')), 'boom'],
    ['says nothing', () => undefined, 'expected {value} or {issues}, got nothing'],
  ])('[RL1] a schema that %s is the failure of the role, and no correction is asked for', async (_, validate, why) => {
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

  it('[RL1] takes schemas of any make, also those that take their time', async () => {
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

  it('[RL1] tells its agent how to write the metadata, after the prompt and what is added to it', async () => {
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

  it('[RL2] is an agent as well, whose answers carry the metadata beside what the agent tells', async () => {
    const { agent } = scripted({ text: meta('{"ok":true}'), meta: { stop: 'end', ok: 'no' }, native_session_id: 's1' });
    const reply = await createRole(agent, 'p', byHand).agent(ctx, '');
    expect(reply).toEqual({ text: meta('{"ok":true}'), meta: { stop: 'end', ok: true }, native_session_id: 's1' });
  });

  it('[RL2] what is no JSON is carried as it was said', async () => {
    const { agent } = scripted(meta('{"at":"2026-10-20"}'), meta('{"at":"2026-10-20"}'));
    const role = createRole(agent, 'p', z.object({ at: z.coerce.date() }));
    expect(await role(ctx)).toMatchObject({ meta: { at: new Date('2026-10-20') } });
    expect(await role.agent(ctx, '')).toMatchObject({ meta: { at: '2026-10-20' } });
  });
});

describe('a correction', () => {
  it('[RL6] tells the agent in the words of the schema, and takes its whole answer anew', async () => {
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

  it('[RL6] is there for an answer without metadata as well', async () => {
    const { agent, asked } = scripted('It is good.', meta('{"ok":true}'));
    expect(await createRole(agent, 'p', byHand)(ctx)).toMatchObject({ meta: { ok: true } });
    expect(asked[1]?.ctx.steps.at(-1)?.content).toContain(
      'cannot be used: the answer has no front matter and no block of JSON\n',
    );
  });

  it('[RL6] comes once: then it is an ExtractError with the last answer and what is wrong with it', async () => {
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
    expect([
      isAgentError(error),
      isExtractError(error),
      isExtractError(new AgentError('timeout', '', { tool: 't' })),
    ]).toEqual([true, true, false]);
  });

  it('[RL6] does not come where none is wanted', async () => {
    const { agent, asked } = scripted(meta('{}'));
    const error = await createRole(agent, 'p', byHand, { corrections: 0 })(ctx).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: 'extract: no metadata that matches the schema: ok: expected true or false, got undefined',
    });
    expect(asked).toHaveLength(1);
  });

  it('[RL6] many complaints are told, and their number is bounded', async () => {
    const keys = Array.from({ length: 50 }, (_, i) => `k${i}`);
    const schema = z.object(Object.fromEntries(keys.map((key) => [key, z.string()])));
    const { agent, asked } = scripted(meta('{}'), meta('{}'));
    const error: unknown = await createRole(agent, 'p', schema)(ctx).catch((thrown: unknown) => thrown);
    expect(isExtractError(error) && error.issues).toHaveLength(50);
    expect(asked[1]?.ctx.steps.at(-1)?.content).toMatch(/k0: .*; k19: .*; and 30 more/);
  });

  it('[RL10] is not shown a second time, and goes on with the conversation of the tool', async () => {
    const { agent, asked } = scripted({ text: meta('{}'), native_session_id: 's1' }, meta('{"ok":true}'));
    const { turn, deltas, progress } = watched();
    await createRole(agent, 'p', byHand)(ctx, turn);
    expect(deltas).toEqual([meta('{}')]);
    expect(progress).toEqual(['asking for the metadata again: ok: expected true or false, got undefined']);
    expect(asked[1]?.turn).toMatchObject({
      idempotencyKey: 'k:correction',
      nativeSessionId: 's1',
      signal: turn.signal,
    });
  });

  it('[RL6] where to go on was decided with the first answer, unless the second says otherwise', async () => {
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

  it('[RL4] has its metadata in what it passes on', async () => {
    const { agent } = scripted(handoff(meta('{"ok":true}')));
    const { content, meta: found, tool_calls } = await createRole(agent, 'p', byHand)(ctx);
    expect([content, found, tool_calls?.length]).toEqual([meta('{"ok":true}'), { ok: true }, 1]);
  });

  it('[RL6] is asked again where it has none', async () => {
    const { agent, asked } = scripted(handoff(), handoff(meta('{"ok":true}')));
    expect(await createRole(agent, 'p', byHand)(ctx)).toMatchObject({ meta: { ok: true } });
    expect(asked[1]?.ctx.steps.map(({ content }) => content === '')).toEqual([true, false]);
  });
});

describe('what an answer took', () => {
  it('[RL10] is the sum of its calls; what one of them does not know is not known', async () => {
    const { agent } = scripted(
      { text: '', usage: usage(100, 10), cost_usd: 0.1 },
      { text: meta('{"ok":true}'), usage: usage(200, 20), cost_usd: 0.2 },
    );
    const { usage: sum, cost_usd } = await createRole(agent, 'p', byHand)(ctx);
    expect([sum, cost_usd]).toEqual([usage(300, 30), 0.3]);
    const unpriced = scripted({ text: '', cost_usd: 0.1 }, { text: meta('{"ok":true}'), cost_usd: null });
    expect(await createRole(unpriced.agent, 'p', byHand)(ctx)).toMatchObject({ cost_usd: null });
  });

  it('[RL10] is told by its failure too', async () => {
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

  it('[RL6] a failure of the agent is its own, whatever it throws', async () => {
    const thrown = new TypeError('a defect');
    await expect(createRole(scripted(thrown).agent, 'p', byHand)(ctx)).rejects.toBe(thrown);
    await expect(createRole(async () => ({ said: 1 }) as never, 'p', byHand)(ctx)).rejects.toThrow(
      'the agent: its answer: text: expected',
    );
  });

  it('[RL10] ends with its turn: nothing is asked again when nobody wants it', async () => {
    const { turn, cancel } = watched();
    const { agent, asked } = scripted(meta('{}'), meta('{"ok":true}'));
    const role = createRole(
      async (given, prompt, options) => {
        const answer = await agent(given, prompt, options);
        cancel.abort();
        return answer;
      },
      'p',
      byHand,
    );
    await expect(role(ctx, turn)).rejects.toMatchObject({ kind: 'aborted' });
    expect(asked).toHaveLength(1);
  });
});

describe('[RL6] the correction of an answer without metadata', () => {
  it('tells the agent what concerns its answer, and nothing for who wrote the program', async () => {
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

describe('[RL11] a schema that does not tell its JSON Schema', () => {
  it('closes the ways that need one, and the error says so and what to do', async () => {
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

  it('is told why where the library cannot say it', () => {
    const schema = z.object({ at: z.date() });
    const model = { provider: 'p', model: 'm', complete: () => Promise.reject(new Error('it is not asked')) };
    const make = () => createRole(scripted().agent, 'p', schema, { model, strategies: ['model'] });
    expect(make).toThrow(/model: the schema has no JSON Schema \(Date cannot be represented/);
    expect(() =>
      createRole(scripted().agent, 'p', schema, { model, strategies: ['model'], jsonSchema: okSchema }),
    ).not.toThrow();
  });
});
