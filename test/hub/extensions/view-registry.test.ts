import type { JsonObject, View, ViewMessage, ViewRef } from 'parley-hub/core';
import { fullTranscript as wholeView } from 'parley-hub/views/full-transcript';
import { fullTranscript, tokenBudget, windowedSummary } from 'parley-hub/views/refs';
import { describe, expect, it } from 'vitest';
import { World } from '../../../src/testing/doubles/world.ts';
import { panelOf } from '../panel.ts';
import { contents, see } from '../reading/view-scene.ts';
import { ADAPTERS, aConversation, EXPECTATIONS, logOf, opened, refusal, say, sessionOf, VIEWS } from '../scene.ts';

describe('registering views', () => {
  const lastWord: View = {
    ...wholeView,
    name: 'last_word',
    window: () => {
      let isFirst = true;
      return () => {
        const takes = isFirst;
        isFirst = false;
        return takes;
      };
    },
  };

  it('[VW14] registers (name, version) once, and rejects invalid views', async () => {
    const { world } = await aConversation({}, { views: VIEWS });
    world.hub.registerView(lastWord);
    expect(() => world.hub.registerView(lastWord)).toThrow(
      expect.objectContaining({
        name: 'HubError',
        code: 'view_exists',
        message: expect.stringContaining('last_word version 1'),
      }),
    );
    const wrongs: readonly [unknown, string][] = [
      [null, 'a view is an object with name, version and parseParams, window, show; got null'],
      [
        { ...lastWord, name: 'Last Word' },
        'name of a view: expected one such as "full_transcript" (/^[a-z][a-z0-9_.-]{0,63}$/), got "Last Word"',
      ],
      [{ ...lastWord, version: 0 }, 'version of view last_word: expected a whole number from 1 on, got 0'],
      [{ ...lastWord, window: null, version: 2 }, 'view last_word: window must be a function, got null'],
      [{ ...lastWord, show: 1, version: 2 }, 'view last_word: show must be a function, got 1'],
    ];
    for (const [view, message] of wrongs) {
      expect(() => world.hub.registerView(view as View)).toThrow(
        expect.objectContaining({ code: 'bad_view', message }),
      );
    }
  });

  it('[VW14] a session keeps the version of its view; another requested view is the newest', async () => {
    const { world, alice, bob, id } = await aConversation({}, { views: VIEWS });
    const versions = logOf(world.store, id)[0]?.event_data.versions;
    expect(versions).toMatchObject({ adapter: 1, view: { windowed_summary: 1 } });
    await say(world, alice, id, 'old');
    world.hub.registerView({ ...lastWord, name: 'windowed_summary', version: 2, parseParams: () => ({}) });
    world.hub.registerView({ ...lastWord, name: 'token_budget', version: 2, parseParams: () => ({ two: true }) });
    expect((await see(world, alice, id)).view.params).toEqual({ recent_n: 10, named: false });
    expect((await see(world, alice, id, windowedSummary(3))).view.params).toEqual({ recent_n: 3, named: false });
    expect((await see(world, alice, id, tokenBudget(3))).view.params).toEqual({ two: true });
    const later = await opened(world, alice, [bob]);
    expect((await see(world, alice, later)).view.params).toEqual({});
  });

  it('[VW14] a session without its view runs; only reading the view fails until it is registered', async () => {
    const { world, alice, bob, id } = await aConversation();
    expect(logOf(world.store, id)[0]?.event_data.versions).not.toHaveProperty('view');
    await say(world, alice, id, 'hello');
    const read = () => alice.call('read_view', { session_id: id });
    expect(await refusal(world, read())).toEqual({
      code: 'unavailable',
      message: `session ${id} shows view windowed_summary, which is not registered; this hub has none`,
      details: { outcome: 'refused', view: 'windowed_summary' },
    });
    expect((await sessionOf(world, bob, id)).state).toBe('ACTIVE');
    for (const view of VIEWS) world.hub.registerView(view);
    expect(await contents(world, alice, id)).toEqual(['> hello']);
  });

  it('[VW14] a session is not shown by another version of its view', async () => {
    const { world: before, alice, id } = await aConversation({}, { views: VIEWS });
    await say(before, alice, id, 'hello');
    const store = before.store.crash();
    const views = [{ ...lastWord, name: 'windowed_summary', version: 2 }];
    const parts = { adapters: ADAPTERS, ...EXPECTATIONS, views, store };
    const world = await World.start({ ...parts, clock: before.clock, seed: 9 });
    const again = await world.peer('alice');
    for (const view of [undefined, windowedSummary(3)]) {
      expect(await refusal(world, again.call('read_view', { session_id: id, view }))).toMatchObject({
        code: 'unavailable',
        message: `session ${id} shows view windowed_summary version 1, which is not registered; this hub has windowed_summary`,
      });
    }
  });

  const broken = (): never => {
    throw new Error('oops');
  };
  const good = { role: 'user', content: 'x', seq: 1, name: 'alice' };
  const badParams = [
    [undefined, 'nothing'],
    [null, 'null'],
    [[], 'an array of 0'],
    [Promise.resolve({}), 'a Promise'],
  ] as const;
  const badMessages: readonly (readonly [unknown, string])[] = [
    [null, ': expected a list, got null'],
    ['abc', ': expected a list, got "abc"'],
    [Promise.resolve([]), ': expected a list, got a Promise'],
    [[undefined], '[0]: expected an object with role, content, seq, name, got nothing'],
    [[good, ['x']], '[1]: expected an object with role, content, seq, name, got an array of 1'],
    [new Array(1), '[0]: expected an object with role, content, seq, name, got nothing'],
    [[{ ...good, role: 'system' }], '[0].role: expected assistant or user, got "system"'],
    [[{ ...good, content: 1 }], '[0].content: expected well-formed text, got 1'],
    [[{ ...good, content: '\ud800' }], '[0].content: expected well-formed text, got "\\ud800"'],
    [[{ ...good, seq: undefined }], '[0].seq: expected a seq or null, got nothing'],
    [[{ ...good, seq: 0.5 }], '[0].seq: expected a seq or null, got 0.5'],
    [[{ ...good, name: 7 }], '[0].name: expected well-formed text or null, got 7'],
    [[{ ...good, more: 1 }], '[0].more: expected one of role, content, seq, name, got "more"'],
  ];
  const faults: readonly (readonly [string, Partial<View>])[] = [
    ['window of view torn version 1 failed: oops', { window: broken }],
    ['window of view torn version 1 failed: oops', { window: () => broken }],
    ['show of view torn version 1 failed: oops', { show: broken }],
    ['parseParams of view torn version 1 failed: oops', { parseParams: broken }],
    ...badParams.map(
      ([params, got]) =>
        [
          `parseParams of view torn version 1 failed: params: expected a JSON object, got ${got}`,
          { parseParams: () => params as unknown as JsonObject },
        ] as const,
    ),
    ...badMessages.map(
      ([shown, problem]) =>
        [`show of view torn version 1 failed: messages${problem}`, { show: () => shown as ViewMessage[] }] as const,
    ),
    [
      'window of view torn version 1 failed: expected true or false, got a Promise',
      { window: () => (async () => true) as unknown as () => boolean },
    ],
  ];

  it.each(faults)(
    '[VW15] a view that throws or returns an invalid value fails only the reading: %s',
    async (message, fault) => {
      const { world, alice, id } = await aConversation({}, { views: VIEWS });
      await say(world, alice, id, 'hello');
      world.hub.registerView({ ...lastWord, name: 'torn', ...fault });
      const torn = alice.call('read_view', { session_id: id, view: { name: 'torn', params: {} } });
      expect(await refusal(world, torn)).toMatchObject({ code: 'internal', message });
      expect(await contents(world, alice, id)).toEqual(['> hello']);
    },
  );

  it('[VW15] an adapter that throws while rendering, or names no view, fails only the reading', async () => {
    const torn = [
      { ...panelOf('torn', 1), render: broken },
      { ...panelOf('mute', 1), render: () => 7 as unknown as string },
      {
        ...panelOf('lost', 1),
        defaultView: (session: { head_seq: number }) => (session.head_seq > 1 ? broken() : fullTranscript()),
      },
      { ...panelOf('odd', 1), defaultView: () => windowedSummary(1).params as unknown as ViewRef },
      { ...panelOf('wrong', 1), defaultView: () => ({ name: 'full_transcript', params: { size: 1 } }) },
    ];
    const world = await World.start({ adapters: torn, views: VIEWS });
    const alice = await world.peer('alice');
    const problemOf = async (type: string) => {
      const id = await opened(world, alice, [], { type, participants: ['alice'] });
      await say(world, alice, id, 'x');
      return (await refusal(world, alice.call('read_view', { session_id: id }))).message.replace(id, 'ID');
    };
    expect(await problemOf('torn')).toBe('render of torn for seq 3 failed: oops');
    expect(await problemOf('mute')).toBe('render of mute for seq 3 gave number, not text');
    expect(await problemOf('lost')).toBe('defaultView of lost failed: oops');
    expect(await problemOf('wrong')).toBe(
      'the default view of session ID failed: full_transcript: size: expected one of named, got "size"',
    );
    const odd = alice.call('create_session', { type: 'odd', participants: ['alice'] });
    expect(await refusal(world, odd)).toMatchObject({
      code: 'internal',
      message: 'defaultView of odd gave no {name, params}',
    });
  });
});
