// A participant takes turns: it reads its view, calls its agent and posts one answer or reports a failure.

import type { ForwardedDelta } from 'parley-hub/core';
import { createManualAdapter, createScriptAdapter } from 'parley-hub/participants';
import { beforeEach, describe, expect, it } from 'vitest';
import { Puppet, Stage } from '../stage.ts';

let stage: Stage;
let bob: Puppet;
beforeEach(async () => {
  stage = await Stage.start();
  bob = new Puppet();
});

/** alice asks bob, and bob is called. */
async function asked() {
  const { alice, session } = await stage.ask();
  await stage.until(() => bob.calls.length === 1, 'bob is called');
  return { alice, session };
}

describe('a turn', () => {
  it('[PA1] gives the agent the thread of its view and its system prompt', async () => {
    await stage.join('bob', bob.agent, { systemPrompt: 'You are Bob.' });
    const { session } = await asked();
    const { ctx, systemPrompt, turn } = bob.call();
    expect(systemPrompt).toBe('You are Bob.');
    const { created_at } = (await stage.log(session)).find(({ event_type }) => event_type === 'msg.text') ?? {};
    expect(ctx).toEqual({
      threadId: session.id,
      start: {
        role: 'user',
        content: 'why?',
        timestamp: created_at,
        meta: {
          type: 'consulting',
          name: 'bob',
          role: 'respondent',
          participants: [
            { name: 'alice', role: 'initiator', status: 'active' },
            { name: 'bob', role: 'respondent', status: 'active' },
          ],
          knobs: { close_by: 'any' },
          labels: {},
          seq: expect.any(Number),
          from: 'alice',
        },
      },
      steps: [
        { role: 'user', content: 'why?', timestamp: created_at, meta: { seq: expect.any(Number), name: 'alice' } },
      ],
    });
    expect(turn).toMatchObject({ resumed: false, idempotencyKey: expect.stringContaining(session.id) });
  });

  it('[PA2] posts one answer with the cause, the key of the turn and the cost', async () => {
    await stage.join('bob', bob.agent);
    const { session } = await asked();
    const usage = {
      input_tokens: 3,
      cache_read_tokens: 0,
      cache_write_tokens: null,
      output_tokens: 5,
      reasoning_tokens: 2,
    };
    bob.call().answer({ text: 'because', usage, cost_usd: 0.01, meta: { model: 'm' } });
    await stage.until(() => stage.told.includes('bob over: consulting_complete'), 'the end');
    const log = await stage.log(session);
    const question = log.find(({ event_data }) => event_data.text === 'why?');
    expect(log.find(({ event_data }) => event_data.text === 'because')).toMatchObject({
      causation_id: question?.envelope_id,
      idempotency_key: `turn:${session.id}:${question?.seq}`,
      event_data: {
        text: 'because',
        usage: { fresh: 3, cache_read: 0, output: 5 },
        cost_usd: 0.01,
        meta: { model: 'm' },
      },
    });
    expect(stage.told).toEqual(['bob takes a turn', 'bob said because', 'bob over: consulting_complete']);
  });

  it('[PA1] is taken by a plain function of two arguments', async () => {
    await stage.join('bob', async (ctx, prompt) => `${prompt}: ${ctx.steps.at(-1)?.content}`, { systemPrompt: 'echo' });
    const { session } = await stage.ask('hello');
    expect(await stage.done(session.ended())).toMatchObject({ reason: 'consulting_complete' });
    expect(await stage.texts(session)).toEqual(['hello', 'echo: hello']);
  });

  it('[PA3] reports a failure and posts nothing', async () => {
    await stage.join('bob', bob.agent);
    const { session } = await asked();
    bob.call().fail(new Error('cursor-agent: exitCode=7'));
    await stage.until(() => stage.told.includes('bob failed: cursor-agent: exitCode=7'), 'the failure');
    const bobs = await stage.client('bob', { register: false });
    const log = await stage.log(bobs.session(session.id));
    expect(log.find(({ event_type }) => event_type === 'task.failed')?.event_data).toMatchObject({
      reason: 'cursor-agent: exitCode=7',
    });
    expect(await stage.texts(session)).toEqual(['why?']);
  });

  it('[PA3] reports a failure without the key in its message', async () => {
    await stage.join('bob', bob.agent);
    const { session } = await asked();
    bob.call().fail(Object.assign(new Error('401 for sk-live-abcdefghijkl'), { kind: 'auth' }));
    await stage.until(() => stage.told.includes('bob failed: 401 for [secret]'), 'the failure');
    const bobs = await stage.client('bob', { register: false });
    expect(JSON.stringify(await stage.log(bobs.session(session.id)))).not.toContain('abcdefghijkl');
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
  ])('[PA3] fails if it ends with %s', async (_what, answer) => {
    await stage.join('bob', bob.agent);
    const { session } = await asked();
    bob.call().answer(answer);
    await stage.until(
      () => stage.told.some((line) => line.startsWith('bob failed: the agent answered')),
      'the failure',
    );
    expect(await stage.texts(session)).toEqual(['why?']);
  });

  it('[PA3] fails with bad_output if the answer is invalid', async () => {
    const errors: Error[] = [];
    await stage.join('bob', bob.agent, { handlers: { onError: (error) => void errors.push(error) } });
    const { session } = await asked();
    bob.call().answer({ text: 'because', usage: null } as never);
    await stage.until(() => errors.length === 1, 'the failure');
    expect(errors[0]).toMatchObject({ name: 'AgentError', kind: 'bad_output' });
    expect(errors[0]?.message).toBe('the agent: its answer: usage: expected an object, got null');
    expect(await stage.texts(session)).toEqual(['why?']);
  });

  it('[PA3] fails if the agent throws synchronously, whatever it throws', async () => {
    await stage.join('bob', () => {
      throw 'no';
    });
    await stage.ask();
    await stage.until(() => stage.told.includes('bob failed: no'), 'the failure');
  });

  it('[PA3] fails with the reason if the session rejects the answer for good', async () => {
    await stage.join('bob', bob.agent);
    const { session } = await asked();
    bob.call().answer('x'.repeat(2_000_000));
    await stage.until(() => stage.told.some((line) => /^bob failed: .*bytes/.test(line)), 'the failure');
    expect(await stage.texts(session)).toEqual(['why?']);
  });

  it('[PA4] is cancelled when the session closes; a late answer is dropped', async () => {
    await stage.join('bob', bob.agent);
    const { session } = await asked();
    expect(bob.call().turn.signal.aborted).toBe(false);
    await stage.done(session.close('enough'));
    await stage.until(() => bob.call().turn.signal.aborted, 'the turn is cancelled');
    bob.call().answer('late');
    await stage.until(() => stage.told.some((line) => line.startsWith('bob cancelled: session')), 'it is dropped');
    expect(await stage.texts(session)).toEqual(['why?']);
    expect(stage.told.filter((line) => line.includes('failed'))).toEqual([]);
  });

  it('[PA4] is cancelled when the turn moves or the participant is hidden', async () => {
    const carol = new Puppet();
    await stage.join('bob', bob.agent);
    await stage.join('carol', carol.agent);
    const alice = await stage.client('alice');
    const session = await stage.done(alice.open('discussion', ['bob', 'carol']));
    await stage.done(session.send('hello'));
    await stage.until(() => bob.calls.length === 1, 'bob is called');
    await stage.done(stage.world.hub.hideParticipant(session.id, 'bob'));
    await stage.until(() => carol.calls.length === 1, 'carol is called');
    expect(bob.call().turn.signal.aborted).toBe(true);
    bob.call().answer('late');
    carol.call().answer('hi');
    await stage.until(() => stage.told.includes('carol said hi'), 'carol says something');
    expect(await stage.texts(session)).toEqual(['hello', 'hi']);
  });

  it('[PA4] is cancelled when the participant answers by other means', async () => {
    const joined = await stage.join('bob', bob.agent);
    const { session } = await stage.ask('hello', 'discussion');
    await stage.until(() => bob.calls.length === 1, 'bob is called');
    await stage.done(joined.client.session(session.id).send('by hand'));
    await stage.until(() => bob.call().turn.signal.aborted, 'the turn is cancelled');
    bob.call().answer('late');
    await stage.settle();
    expect(await stage.texts(session)).toEqual(['hello', 'by hand']);
  });
});

describe('during a turn', () => {
  it('[PA1] the next turn of a session gets the native session id of the last', async () => {
    await stage.join('bob', bob.agent);
    const alice = await stage.client('alice');
    const session = await stage.done(alice.open('conversation', ['bob']));
    const other = await stage.done(alice.open('conversation', ['bob']));
    for (const [turn, one] of [session, session, other].entries()) {
      await stage.done(one.send(`question ${turn}`));
      await stage.until(() => bob.calls.length === turn + 1, 'bob is called');
      bob.call(turn).answer({ text: 'yes', native_session_id: `n${turn}` });
      await stage.until(() => stage.told.filter((line) => line === 'bob said yes').length === turn + 1, 'the answer');
    }
    expect(bob.calls.map(({ turn }) => turn.nativeSessionId)).toEqual([undefined, 'n0', undefined]);
  });

  it('[PA4] drops deltas and progress of a cancelled turn', async () => {
    const told: string[] = [];
    const handlers = {
      onDelta: (text: string) => void told.push(text),
      onProgress: ({ text }: { readonly text: string }) => void told.push(text),
    };
    await stage.join('bob', bob.agent, { handlers });
    const { session } = await asked();
    const { turn } = bob.call();
    turn.onDelta('be');
    turn.onProgress({ kind: 'note', text: 'thinks' });
    await stage.done(session.close('enough'));
    await stage.until(() => turn.signal.aborted, 'the turn is cancelled');
    turn.onDelta('cause');
    turn.onProgress({ kind: 'note', text: 'goes on' });
    expect(told).toEqual(['be', 'thinks']);
  });

  it('[PA3] rejects deltas and progress that are not text', async () => {
    await stage.join('bob', bob.agent);
    await asked();
    const { turn } = bob.call();
    expect(() => turn.onDelta(null as never)).toThrow('onDelta: expected text, got null');
    expect(() => turn.onProgress(null as never)).toThrow('onProgress: expected {kind, text}, got null');
    expect(() => turn.onProgress({ kind: 'note' } as never)).toThrow('onProgress: expected {kind, text}');
  });

  it('[PA5] streams text immediately, then a few times per second, and all of it before the answer', async () => {
    await stage.join('bob', bob.agent);
    const seen: ForwardedDelta[] = [];
    const alice = await stage.client('alice', { onDelta: (delta) => void seen.push(delta) });
    const session = await stage.done(alice.open('consulting', ['bob']));
    await stage.done(session.send('why?'));
    await stage.until(() => bob.calls.length === 1, 'bob is called');
    const { turn } = bob.call();
    for (const part of ['be', 'ca', 'u', 'se']) turn.onDelta(part);
    await stage.settle();
    expect(seen.map(({ text }) => text)).toEqual(['be']);
    stage.world.clock.advance(60);
    await stage.settle();
    expect(seen.map(({ text }) => text)).toEqual(['be', 'cause']);
    turn.onDelta(' I');
    turn.onDelta(' say');
    bob.call().answer('because I say');
    await stage.done(session.ended());
    expect(seen.map(({ text }) => text).join('')).toBe('because I say');
    turn.onDelta('and more');
    await stage.settle();
    expect(seen.map(({ text }) => text).join('')).toBe('because I say');
  });

  it('[PA5] limits the streamed text, and survives half characters', async () => {
    await stage.join('bob', bob.agent);
    let bytes = 0;
    const alice = await stage.client('alice', {
      onDelta({ text }) {
        bytes += text.length;
      },
    });
    const session = await stage.done(alice.open('consulting', ['bob']));
    await stage.done(session.send('why?'));
    await stage.until(() => bob.calls.length === 1, 'bob is called');
    const { turn } = bob.call();
    turn.onDelta('\udc00');
    for (let i = 0; i < 200; i += 1) turn.onDelta('x'.repeat(100_000));
    for (let i = 0; i < 100; i += 1) await stage.world.pass(1_000);
    expect(bytes).toBeLessThanOrEqual(1_000_000);
    expect(bytes).toBeGreaterThan(60_000);
    bob.call().answer('done');
    expect(await stage.done(session.ended())).toMatchObject({ reason: 'consulting_complete' });
  });

  it('[PA6] reports progress often enough to keep the turn, with its text', async () => {
    await stage.join('bob', bob.agent);
    const alice = await stage.client('alice');
    const expectations = [{ name: 'turn_within', on_violation: 'hide', params: { seconds: 3, heartbeat: true } }];
    const session = await stage.done(alice.open('discussion', { participants: ['bob'], expectations }));
    await stage.done(session.send('hello'));
    await stage.until(() => bob.calls.length === 1, 'bob is called');
    bob.call().turn.onProgress({ kind: 'tool', text: 'reads a file' });
    for (let second = 0; second < 9; second += 1) await stage.world.pass(1_000);
    bob.call().answer('here I am');
    await stage.until(() => stage.told.includes('bob said here I am'), 'the answer');
    const bobs = await stage.client('bob', { register: false });
    const log = await stage.log(bobs.session(session.id));
    const beats = log.filter(({ event_type }) => event_type === 'task.progress');
    expect(beats.length).toBeGreaterThanOrEqual(3);
    expect(beats[0]?.event_data.note).toBe('reads a file');
    expect(log.map(({ event_type }) => event_type)).not.toContain('expectation.violated');
  });
});

describe('joining', () => {
  it('[PA7] accepts invites unless its policy rejects them', async () => {
    await stage.join('bob', bob.agent, {
      onInvite: ({ type }) => type === 'consulting' || { reject: 'only questions' },
    });
    const alice = await stage.client('alice');
    await expect(stage.done(alice.open('conversation', ['bob']))).rejects.toThrow(/only questions|rejected/);
    const session = await stage.done(alice.open('consulting', ['bob']));
    expect(session.state).toBe('ACTIVE');
  });

  it('[PA7] sets its profile and its access rule', async () => {
    const joined = await stage.join('bob', bob.agent, {
      resume: { summary: 'knows why' },
      rule: { limits: { max_concurrent_tasks: 2 } },
    });
    expect(await stage.done(joined.client.resume())).toMatchObject({ summary: 'knows why' });
    expect(await stage.done(joined.client.rule())).toMatchObject({ rule: { limits: { max_concurrent_tasks: 2 } } });
  });

  it('[PA7] takes a connected client without handlers', async () => {
    const { clock } = stage.world;
    const { joinHub } = await import('parley-hub/participants');
    const client = await stage.done(stage.way({ name: 'bob' }));
    const joined = await stage.done(joinHub(client, { agent: bob.agent, clock }));
    expect(joined.client).toBe(client);
    const { session } = await asked();
    bob.call().answer('because');
    expect(await stage.done(session.ended())).toMatchObject({ reason: 'consulting_complete' });
    await expect(joinHub(client, { agent: bob.agent, clock })).rejects.toMatchObject({ code: 'has_handlers' });
    const policy = { agent: bob.agent, clock, onInvite: () => true };
    await expect(joinHub(await stage.done(stage.way({ name: 'carol' })), policy)).rejects.toThrow(
      /onInvite: set it in the options/,
    );
  });

  const agent = async (): Promise<string> => '';
  const wrongOptions: readonly (readonly [object, RegExp])[] = [
    [{ agent: 'x' }, /agent: expected a function/],
    [{ agent, maxParallelTurns: 0 }, /maxParallelTurns: expected a whole number >= 1/],
    [{ agent, maxparallel: 1 }, /maxparallel: expected a known option/],
    [{ agent, handlers: { onSay() {} } }, /handlers.onSay: expected a known option/],
    ...[7, 'full_transcript', {}, { name: '' }, { name: 'a', params: null }, { name: 'a', atSeq: 1 }].map(
      (view) => [{ agent, view }, /view: expected a view, {name, params\?}/] as const,
    ),
  ];
  it.each(wrongOptions)('[PA7] rejects wrong options by name: %o', async (options, message) => {
    await expect(stage.join('bob', async () => '', { handlers: {}, ...options })).rejects.toThrow(message);
  });

  it('[PA8] takes one turn at a time if so configured', async () => {
    await stage.join('bob', bob.agent, { maxParallelTurns: 1 });
    const { session } = await asked();
    const { session: other } = await stage.ask('and why?', 'consulting', 'anna');
    await stage.settle();
    expect(bob.calls).toHaveLength(1);
    bob.call().answer('because');
    await stage.until(() => bob.calls.length === 2, 'the other turn');
    bob.call(1).answer('because too');
    expect(await stage.done(session.ended())).toMatchObject({ reason: 'consulting_complete' });
    expect(await stage.done(other.ended())).toMatchObject({ reason: 'consulting_complete' });
  });

  it('[PA8] gives up an agent that ignores its signal after the grace period', async () => {
    await stage.join('bob', bob.agent, { maxParallelTurns: 1, graceMs: 5_000 });
    const { session } = await asked();
    await stage.done(session.close('enough'));
    const { session: other } = await stage.ask('and why?', 'consulting', 'anna');
    await stage.settle();
    expect(bob.calls).toHaveLength(1);
    stage.world.clock.advance(5_000);
    await stage.until(() => bob.calls.length === 2, 'the other turn');
    expect(stage.told.filter((line) => line.startsWith('bob cancelled'))).toHaveLength(1);
    bob.call().fail(new Error('too late'));
    bob.call(1).answer('because');
    expect(await stage.done(other.ended())).toMatchObject({ reason: 'consulting_complete' });
    expect(stage.told.filter((line) => line.includes('too late'))).toEqual([]);
  });

  it('[PA8] never starts a waiting turn that has ended', async () => {
    await stage.join('bob', bob.agent, { maxParallelTurns: 1 });
    await asked();
    const { session: other } = await stage.ask('and why?', 'consulting', 'anna');
    await stage.settle();
    await stage.done(other.close('never mind'));
    bob.call().answer('because');
    await stage.settle();
    expect(bob.calls).toHaveLength(1);
  });

  it('[PA8] takes turns of several sessions concurrently', async () => {
    await stage.join('bob', bob.agent, { maxParallelTurns: 2 });
    await asked();
    await stage.ask('and why?', 'consulting', 'anna');
    await stage.until(() => bob.calls.length === 2, 'both are called');
  });
});

describe('session types', () => {
  it('[PA9] two participants answer each other up to the limit, and report it', async () => {
    await stage.join('bob', async ({ steps }) => `bob ${steps.length}`, { maxAnswers: 3 });
    await stage.join('carol', async ({ steps }) => `carol ${steps.length}`, { maxAnswers: 5 });
    const alice = await stage.join('alice', async () => 'never', { maxAnswers: 1 });
    const session = await stage.done(alice.client.open('conversation', ['bob']));
    await stage.done(session.send('hello'));
    await stage.until(() => stage.told.some((line) => line.includes('alice failed')), 'the bound');
    await stage.settle();
    const log = await stage.log(session);
    expect(await stage.texts(session)).toEqual(['hello', 'bob 1', 'never', 'bob 3']);
    const failed = log.filter(({ event_type }) => event_type === 'task.failed');
    expect(failed.map(({ event_data }) => event_data.reason)).toEqual([
      'the limit of 1 answers in this session is reached',
    ]);
  });

  it('[PA3, PA9] reports a failure without a turn as a failed task, visible to all', async () => {
    await stage.join('bob', bob.agent);
    const { session } = await stage.ask('hello', 'conversation');
    await stage.until(() => bob.calls.length === 1, 'bob is called');
    bob.call().fail(new Error('no model'));
    await stage.until(() => stage.told.includes('bob failed: no model'), 'the failure');
    const failed = (await stage.log(session)).find(({ event_type }) => event_type === 'task.failed');
    expect(failed?.event_data.reason).toBe('no model');
  });

  it('[PA9] runs a discussion of four through its rounds', async () => {
    for (const name of ['bob', 'carol', 'dave'])
      await stage.join(name, createScriptAdapter([`${name} 1`, `${name} 2`]));
    const alice = await stage.join('alice', createScriptAdapter(['alice 1', 'alice 2']));
    const session = await stage.done(
      alice.client.open('discussion', { participants: ['bob', 'carol', 'dave'], knobs: { rounds: 2 } }),
    );
    expect(await stage.done(session.ended())).toMatchObject({ reason: 'rounds_complete' });
    const names = ['alice', 'bob', 'carol', 'dave'];
    expect(await stage.texts(session)).toEqual([1, 2].flatMap((round) => names.map((name) => `${name} ${round}`)));
  });

  it('[PA10] passes the turn in a workflow by calls of handoff and finish; plain text follows the graph', async () => {
    const target = { name: 'revert_to_initiator', args: {} };
    const graph = { initial_speaker: 'alice', transitions: [], default_target: target, max_turns: 10 };
    const handoff = { name: 'handoff', arguments: { to: 'carol', reason: 'tax' } };
    await stage.join(
      'bob',
      createScriptAdapter([{ text: 'carol knows', tool_calls: [{ name: 'Bash', arguments: {} }, handoff] }]),
    );
    await stage.join('carol', createScriptAdapter(['it is 7']));
    const alice = await stage.join(
      'alice',
      createScriptAdapter([
        { text: 'which rate?', tool_calls: [{ name: 'handoff', arguments: { to: 'bob' } }] },
        { text: '', tool_calls: [{ name: 'finish', arguments: { message: 'thanks', reason: 'answered' } }] },
      ]),
    );
    const session = await stage.done(
      alice.client.open('workflow', { participants: ['bob', 'carol'], knobs: { graph } }),
    );
    expect(await stage.done(session.ended())).toMatchObject({ reason: 'answered' });
    const said = (await stage.log(session)).filter(({ event_type }) => event_type.startsWith('msg.'));
    expect(said.map(({ event_type, event_data }) => [event_type, event_data.body ?? event_data.text])).toEqual([
      ['msg.packet', 'which rate?'],
      ['msg.packet', 'carol knows'],
      ['msg.text', 'it is 7'],
      ['msg.packet', 'thanks'],
    ]);
  });

  it('[PA10] fails the turn if a handoff names nobody in the session', async () => {
    const graph = { initial_speaker: 'alice', transitions: [], default_target: null, max_turns: 10 };
    await stage.client('bob');
    const reply = { text: 'hm', tool_calls: [{ name: 'handoff', arguments: { to: 'legal' } }] };
    const alice = await stage.join('alice', createScriptAdapter([reply]));
    await stage.done(alice.client.open('workflow', { participants: ['bob'], knobs: { graph } }));
    await stage.until(() => stage.told.some((line) => /alice failed: .*legal/.test(line)), 'the failure');
  });

  it('[PA10] posts the text where packets are not accepted', async () => {
    const reply = { text: 'because', tool_calls: [{ name: 'finish', arguments: {} }] };
    await stage.join('bob', createScriptAdapter([reply]));
    const { session } = await stage.ask();
    await stage.done(session.ended());
    expect(await stage.texts(session)).toEqual(['why?', 'because']);
  });

  it.each([
    ['the message of the call', '', { message: 'it is 4' }, ['why?', 'it is 4']],
    ['the message before the text, as in a packet', 'hm', { message: 'it is 4' }, ['why?', 'it is 4']],
  ])('[PA10] posts %s where packets are not accepted', async (_, text, given, said) => {
    await stage.join('bob', createScriptAdapter([{ text, tool_calls: [{ name: 'finish', arguments: given }] }]));
    const { session } = await stage.ask();
    await stage.done(session.ended());
    expect(await stage.texts(session)).toEqual(said);
    expect(stage.told).toContain('bob said it is 4');
  });

  it('[PA3, PA10] a call without text is no answer where packets are not accepted', async () => {
    const calls = [
      { name: 'Bash', arguments: { message: 'not for others' } },
      { name: 'handoff', arguments: { to: 'x', message: ' ' } },
    ];
    await stage.join('bob', createScriptAdapter([{ text: '', tool_calls: calls }]));
    const { session } = await stage.ask();
    await stage.until(() => stage.told.includes('bob failed: the agent answered nothing'), 'the failure');
    expect(await stage.texts(session)).toEqual(['why?']);
  });

  it('[PA10] reports to a moderator that its answer did not pass the turn on', async () => {
    await stage.client('bob');
    const alice = await stage.join('alice', createScriptAdapter(['welcome']));
    await stage.done(alice.client.open('discussion', { participants: ['bob'], knobs: { ordering: 'moderated' } }));
    await stage.until(() => stage.told.some((line) => line.includes('did not pass the turn on')), 'the failure');
  });

  it('[PA10] lets a moderator that kept its turn pass it on later', async () => {
    const replies = ['welcome', { text: 'bob?', tool_calls: [{ name: 'handoff', arguments: { to: 'bob' } }] }];
    const agent = async () => replies.shift() ?? 'no more';
    await stage.client('bob');
    const first = await stage.join('alice', agent);
    const knobs = { ordering: 'moderated' };
    const { id } = await stage.done(
      first.client.open('discussion', { participants: ['bob'], knobs, expectations: [] }),
    );
    await stage.until(() => stage.told.some((line) => line.includes('did not pass the turn on')), 'the failure');
    await stage.done(first.close());
    const again = await stage.join('alice', agent);
    await stage.until(() => stage.told.includes('alice said bob?'), 'the second answer');
    expect(await stage.texts(again.client.session(id))).toContain('welcome');
    expect(stage.told.filter((line) => line.includes('cancelled'))).toEqual([]);
  });
});

describe('scripts and people', () => {
  it('[PA11] fails the turn when a script is used up, and rejects an invalid script', async () => {
    await stage.join('bob', createScriptAdapter([]));
    await stage.ask();
    await stage.until(() => stage.told.some((line) => line.includes('used up')), 'the failure');
    expect(() => createScriptAdapter(7 as never)).toThrow(/script: expected a function or a list of answers, got 7/);
  });

  it('[PA11] asks a person, and withdraws the question when the session ends', async () => {
    const questions: string[] = [];
    let answer: (text: string | null) => void = () => {};
    const person = createManualAdapter(({ text }) => {
      questions.push(text);
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    await stage.join('bob', person);
    const { alice, session: first } = await stage.ask('may I?');
    await stage.until(() => questions.length === 1, 'the question');
    answer('you may');
    await stage.done(first.ended());
    const second = await stage.done(alice.open('consulting', ['bob']));
    await stage.done(second.send('may I again?'));
    await stage.until(() => questions.length === 2, 'the question');
    await stage.done(second.close('never mind'));
    await stage.until(() => stage.told.some((line) => line.startsWith('bob cancelled')), 'it is taken away');
    const third = await stage.done(alice.open('consulting', ['bob']));
    await stage.done(third.send('and now?'));
    await stage.until(() => questions.length === 3, 'the question');
    answer(null);
    await stage.until(() => stage.told.includes('bob failed: the person did not answer'), 'the failure');
    expect(questions).toEqual(['may I?', 'may I again?', 'and now?']);
  });
});
