// The calls on identities and membership: what goes over the wire for them, and what is refused before.

import { describe, expect, it } from 'vitest';
import { S1 } from './scripted-hub.ts';
import { agent } from './world.ts';

/** What types forbid and callers without types do. */
// biome-ignore lint/suspicious/noExplicitAny: the point of these tests
const untyped = (value: unknown): any => value;

const found = (name: string) => ({ name });

describe('on the wire', () => {
  it('[ID1, ID4] what a client says about itself and asks about others', async () => {
    const { hub, client } = await agent();
    const calls = [
      client.resume(),
      client.resume('bob'),
      client.setResume({
        claimedCapabilities: ['a'],
        domains: ['b'],
        summary: 'c',
        examples: ['d'],
        expectedVersion: 3,
      }),
      client.setResume({}),
      client.skill(),
      client.skill('bob'),
      client.setSkill('Ask.'),
      client.session(S1).leave(),
      client.session(S1).add('bob'),
      client.session(S1).add('bob', { role: 'judge', deadlineMs: 50 }),
    ];
    const heard = (await hub.heard())
      .map((text) => JSON.parse(text))
      .map((frame) => [frame.op, frame.params, frame.deadline_ms]);
    expect(heard).toEqual([
      ['get_resume', {}, undefined],
      ['get_resume', { agent: 'bob' }, undefined],
      [
        'set_resume',
        { claimed_capabilities: ['a'], domains: ['b'], summary: 'c', examples: ['d'], expected_version: 3 },
        undefined,
      ],
      ['set_resume', {}, undefined],
      ['get_skill', {}, undefined],
      ['get_skill', { agent: 'bob' }, undefined],
      ['set_skill', { text: 'Ask.' }, undefined],
      ['leave_session', { session_id: S1 }, undefined],
      ['add_participant', { session_id: S1, participant: 'bob' }, undefined],
      ['add_participant', { session_id: S1, participant: 'bob', role: 'judge' }, 50],
    ]);
    client.close();
    await Promise.allSettled(calls);
  });

  it('[ID7] a search follows next until null, also from a page without any', async () => {
    const { hub, client } = await agent();
    const names: string[] = [];
    const reading = (async () => {
      for await (const { name } of client.findAgents({ capability: 'x', bound: true })) names.push(name);
    })();
    for (const [after, agents, next] of [
      [undefined, [found('a'), found('b')], 'b'],
      ['b', [], 'm'],
      ['m', [found('z')], null],
    ] as const) {
      expect(await hub.answer('find_agent', { agents, next })).toEqual({
        capability: 'x',
        bound: true,
        ...(after && { after }),
      });
    }
    await reading;
    expect(names).toEqual(['a', 'b', 'z']);
  });
});

describe('refused before anything is sent', () => {
  it('[CL4] options there are none of, and arguments of the wrong kind', async () => {
    const { hub, client } = await agent();
    const session = client.session(S1);
    const refusals = [
      client.setResume(untyped({ claimed_capabilities: ['a'] })),
      client.setResume(untyped(null)),
      client.setResume({ summary: untyped(() => '') }),
      client.findAgents(untyped({ name: 'bob' })).next(),
      client.findAgents(untyped('bob')).next(),
      client.resume(untyped(7)),
      client.skill(untyped({})),
      client.setSkill(untyped(5n)),
      session.add('bob', untyped({ as: 'judge' })),
      session.add('bob', { deadlineMs: 0 }),
      session.add(untyped(Number.NaN)),
    ];
    const ends = await Promise.allSettled(refusals);
    expect(ends.map((end) => untyped(end).reason?.message.replace(/ \(.*\)/, ''))).toEqual([
      'claimed_capabilities: expected an option that there is, got "claimed_capabilities"',
      'options: expected an object, got null',
      'summary: expected a JSON value, got a function',
      'name: expected an option that there is, got "name"',
      'options: expected an object, got "bob"',
      'agent: expected a name or an id, got 7',
      'agent: expected a name or an id, got an empty object',
      'text: expected a JSON value, got 5n',
      'as: expected an option that there is, got "as"',
      'deadlineMs: expected a whole number of milliseconds from 1 to 86400000, got 0',
      'participant: expected a finite number, got NaN',
    ]);
    expect(await hub.heard()).toEqual([]);
  });
});
