// A model calls tools and is asked again: in order, within limits, and with errors as text.

import type { AgentTool } from 'parley-hub/participants';
import { describe, expect, it } from 'vitest';
import { watchedTurn } from '../watched-turn.ts';
import { type Line, ScriptedModel } from './scripted-model.ts';

const ctx = {
  threadId: 't1',
  start: { role: 'user', content: 'Well?', meta: {}, timestamp: '2026-10-20T00:00:00.000Z' },
  steps: [],
};

const order: string[] = [];
const echo: AgentTool = {
  name: 'echo',
  description: 'Says it again.',
  parameters: { type: 'object' },
  async call(args) {
    order.push(`begin ${JSON.stringify(args)}`);
    await Promise.resolve();
    order.push(`end ${JSON.stringify(args)}`);
    return { text: `echo ${JSON.stringify(args)}` };
  },
};
const broken: AgentTool = { ...echo, name: 'broken', call: () => Promise.reject(new Error('out of order')) };
const long: AgentTool = { ...echo, name: 'long', call: async () => ({ text: 'x'.repeat(50_000) }) };
const last: AgentTool = {
  ...echo,
  name: 'last',
  call: async (args) => ({ text: '', ends: { text: 'Over to bob.', route: { name: 'last', arguments: args } } }),
};

async function run(lines: readonly Line[], tools: readonly AgentTool[], options = {}) {
  const model = new ScriptedModel(...lines);
  const turn = watchedTurn({ tools });
  order.length = 0;
  const reply = await model
    .agent(options)(ctx, 'p', turn)
    .catch((error: unknown) => error);
  return { model, turn, reply };
}

const calling = (...names: readonly string[]) => ({ calls: names.map((name) => [name, {}] as const) });

describe('rounds of tools', () => {
  it('[MT1] offers tools, returns their results, and adds up the usage of all rounds', async () => {
    const twice = [
      ['echo', { n: 1 }],
      ['echo', { n: 2 }],
    ] as const;
    const lines = [
      { text: 'Let me look.', calls: twice, cost_usd: 0.1 },
      { text: 'Found it.', cost_usd: 0.2 },
    ];
    const { model, reply, turn } = await run(lines, [echo]);
    expect(model.asked[0]?.tools).toEqual([
      { name: 'echo', description: 'Says it again.', parameters: { type: 'object' } },
    ]);
    expect(model.asked[1]?.messages.slice(1)).toEqual([
      expect.objectContaining({ role: 'assistant', content: 'Let me look.' }),
      { role: 'tool', tool_call_id: 'call_0', content: 'echo {"n":1}' },
      { role: 'tool', tool_call_id: 'call_1', content: 'echo {"n":2}' },
    ]);
    expect(reply).toMatchObject({
      text: 'Let me look.\n\nFound it.',
      usage: { input_tokens: 20, output_tokens: 10 },
      cost_usd: 0.3,
      meta: { rounds: 2, adapter_meta: { total_tokens: 30, latency_ms: 2 } },
    });
    expect(reply).not.toHaveProperty('tool_calls');
    expect(turn.deltas.join('')).toBe('Let me look.\n\nFound it.');
    expect(turn.progress.map(({ kind, text }) => `${kind} ${text}`)).toEqual(['tool echo', 'tool echo']);
    // Calls run one after the other.
    expect(order).toEqual(['begin {"n":1}', 'end {"n":1}', 'begin {"n":2}', 'end {"n":2}']);
  });

  it('[MT2] asks once more without tools after the last round', async () => {
    const lines = [calling('echo'), calling('echo'), { text: 'So be it.' }];
    const { model, reply } = await run(lines, [echo], { maxRounds: 2 });
    expect(reply).toMatchObject({ text: 'So be it.', meta: { rounds: 3 } });
    expect(model.asked.map(({ toolChoice }) => toolChoice)).toEqual([undefined, undefined, 'none']);
  });

  it('[MT2] allows eight rounds by default; no text after them is a failure', async () => {
    const { model, reply } = await run([calling('echo')], [echo]);
    expect(model.asked).toHaveLength(9);
    expect(order).toHaveLength(16);
    expect(reply).toMatchObject({
      kind: 'no_result',
      message: 'scripted/m-1: the model answered nothing after 8 rounds of tools (it stopped by tool_calls)',
    });
    const make = () => new ScriptedModel('x').agent({ maxRounds: 0 });
    expect(make).toThrow('maxRounds: expected a whole number >= 1, got 0');
  });

  it('[MT3] reports wrong calls to the model: unknown tools, failures, too many calls', async () => {
    const calls = calling('ekko', 'broken', 'long', ...Array(14).fill('echo'));
    const { model } = await run([calls, 'Well.'], [echo, broken, long]);
    const told = model.asked[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(told[0]).toMatchObject({
      is_error: true,
      content: 'Error: unknown tool "ekko"; available: echo, broken, long',
    });
    expect(told[1]).toMatchObject({ is_error: true, content: 'Error: broken failed: out of order' });
    expect(told[2]?.content.length).toBeLessThan(20_100);
    expect(told[16]).toMatchObject({
      is_error: true,
      content: 'Error: at most 16 calls per answer; this one was skipped',
    });
    expect(order).toHaveLength(26);
  });

  it('[MT4] stops after a call that ends the turn, and routes the reply by it', async () => {
    const { model, reply } = await run([calling('echo', 'last', 'echo')], [echo, last]);
    expect(model.asked).toHaveLength(1);
    expect(order).toHaveLength(2);
    expect(reply).toMatchObject({ text: '', tool_calls: [{ name: 'last', arguments: {} }] });
  });

  it('[MT5] cancels a pending call, even of a tool that ignores the signal', async () => {
    const cancel = new AbortController();
    let heard = false;
    const stuck: AgentTool = {
      ...echo,
      name: 'stuck',
      call: (_args, signal) => {
        signal.addEventListener('abort', () => {
          heard = true;
        });
        queueMicrotask(() => cancel.abort(new Error('over')));
        return new Promise(() => {});
      },
    };
    const model = new ScriptedModel(calling('stuck'));
    const reply = model.agent()(ctx, 'p', watchedTurn({ tools: [stuck], signal: cancel.signal }));
    await expect(reply).rejects.toMatchObject({
      kind: 'aborted',
      message: 'scripted/m-1: cancelled in a call of stuck',
    });
    expect(heard).toBe(true);
    expect(model.asked).toHaveLength(1);
  });

  it('[MT1] gives one answer without tools or a hub, and passes calls on', async () => {
    const { model, reply } = await run([calling('handoff')], []);
    expect(model.asked[0]).not.toHaveProperty('tools');
    expect(reply).toMatchObject({ tool_calls: [{ name: 'handoff', arguments: {} }] });
    expect(await new ScriptedModel('Alone.').agent()(ctx, 'p')).toMatchObject({ text: 'Alone.' });
  });
});
