import { describe, expect, it } from 'vitest';
import { REGISTRY_LOG } from '../../../src/core/ports/store.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import {
  aCast,
  foreignUnit,
  leave,
  logOf,
  rebind,
  recordEvents,
  refusal,
  refused,
  releaseHold,
  watch,
} from '../scene.ts';
import { resumeOf, SKILL, skillOf } from './scene.ts';

/** A profile as another hub on the same store might write it. */
function foreignResume(world: World, agent_id: string, version: number, summary: string) {
  const said = { claimed_capabilities: [], domains: [], summary, examples: [], version, last_updated: null };
  return foreignUnit(world, REGISTRY_LOG, {
    session_id: REGISTRY_LOG,
    audience: [],
    event_type: 'agent.resume',
    event_data: { agent_id, ...said },
  });
}

describe('profiles and skills', () => {
  it.each(['set_resume', 'set_skill'] as const)(
    '[ID6, L1] %s shows once it is durable, the older version until then',
    async (op) => {
      const { world, alice, bob } = await aCast(['alice', 'bob']);
      const set = (words: string): Promise<unknown> =>
        op === 'set_resume'
          ? bob.call(op, { summary: words })
          : bob.call(op, { text: `---\ndescription: ${words}\n---\n` });
      await world.answer(set('first'));
      const seen = async () => [
        await resumeOf(world, alice, 'bob'),
        await skillOf(world, alice, 'bob'),
        (await world.answer(alice.call('find_agent', { text: 'first' }))).agents.length,
        (await world.answer(alice.call('find_agent', { text: 'third' }))).agents.length,
      ];
      const before = await seen();
      expect(before.slice(2)).toEqual([1, 0]);
      world.hold = true;
      const calls = [watch(set('second')), watch(set('third'))];
      await world.settle();
      expect(await seen()).toEqual(before);
      expect(calls.map(({ state }) => state)).toEqual(['open', 'open']);
      world.store.sync(1);
      await world.settle();
      expect(calls.map(({ state }) => state)).toEqual(['answered', 'open']);
      expect(JSON.stringify(await seen())).toContain('second');
      await releaseHold(world);
      expect((await seen()).slice(2)).toEqual([0, 1]);
    },
  );

  it('[ID6, L3] survive a crash and a restart, with their versions', async () => {
    const { world, bob } = await aCast(['alice', 'bob']);
    for (const summary of ['one', 'two']) await world.answer(bob.call('set_resume', { summary }));
    await world.answer(bob.call('set_skill', { text: SKILL }));
    const before = [await resumeOf(world, bob), await skillOf(world, bob)];
    for (const how of ['crash', 'restart'] as const) {
      await world[how]();
      const again = await world.peer('bob');
      expect([await resumeOf(world, again), await skillOf(world, again)]).toEqual(before);
    }
    const again = await world.peer('bob');
    expect(await world.answer(again.call('set_resume', { summary: 'x', expected_version: 2 }))).toMatchObject({
      version: 3,
    });
    expect(await world.answer(again.call('set_skill', { text: 'x' }))).toMatchObject({ version: 2 });
  });

  it('[ID6, L1] staged when the process died are kept completely or not at all', async () => {
    for (const kept of [true, false]) {
      const { world, bob } = await aCast(['alice', 'bob']);
      await world.answer(bob.call('set_resume', { summary: 'one' }));
      world.hold = true;
      void bob.call('set_resume', { summary: 'two' });
      await world.settle();
      world.hold = false;
      await world.crash(() => kept);
      const again = await world.peer('bob');
      expect(await resumeOf(world, again)).toMatchObject(
        kept ? { summary: 'two', version: 2 } : { summary: 'one', version: 1 },
      );
    }
  });

  it('[ID6, AM9] are judged again after a conflict, on the other writer’s version', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    await world.answer(bob.call('set_resume', { summary: 'one', domains: ['rust'] }));
    world.store.foreignAppend(REGISTRY_LOG, foreignResume(world, bob.agentId, 2, 'from elsewhere'));
    const calls = [
      watch(bob.call('set_resume', { examples: ['mine'] })),
      watch(bob.call('set_resume', { summary: 'late', expected_version: 2 })),
      watch(bob.call('set_skill', { text: SKILL })),
      watch(alice.call('set_resume', { summary: 'alice' })),
    ];
    await world.settle();
    expect(calls.map(({ state, value }) => [state, value])).toMatchObject([
      ['answered', { version: 3, summary: 'from elsewhere', domains: [], examples: ['mine'] }],
      // Correct when staged, but not after the conflict.
      ['refused', { code: 'conflict', details: { version: 3 } }],
      ['answered', { version: 1 }],
      ['answered', { version: 1, summary: 'alice' }],
    ]);
    expect(await resumeOf(world, alice, 'bob')).toMatchObject({ version: 3, summary: 'from elsewhere' });
    expect(await skillOf(world, alice, 'bob')).toMatchObject({ version: 1, text: SKILL });
    const before = [await resumeOf(world, alice, 'bob'), await resumeOf(world, alice)];
    await world.restart();
    const again = await world.peer('alice');
    expect([await resumeOf(world, again, 'bob'), await resumeOf(world, again)]).toEqual(before);
  });

  it('[ID6, AM9] show only durable values while the log is read again', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    for (const summary of ['one', 'two']) await world.answer(bob.call('set_resume', { summary }));
    world.store.foreignAppend(REGISTRY_LOG, foreignResume(world, bob.agentId, 3, 'three'));
    world.hold = true;
    const call = watch(bob.call('set_resume', { summary: 'four' }));
    await world.settle();
    // The sync reports the conflict; observe every microtask after it.
    world.store.sync();
    const seen = new Set<string>();
    for (let i = 0; i < 30; i++) {
      await Promise.resolve();
      void alice.call('get_resume', { agent: 'bob' }).then(({ summary }) => seen.add(summary));
    }
    await world.settle();
    await releaseHold(world);
    expect(call).toMatchObject({ state: 'answered', value: { version: 4 } });
    expect([...seen].filter((summary) => summary !== 'two' && summary !== 'three')).toEqual([]);
  });

  it('[ID6, AM9, LC12] a conflict does not undo an unregister', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    world.hold = true;
    const gone = watch(bob.call('unregister', {}));
    await world.settle();
    const late = watch(bob.call('set_resume', { summary: 'last words' }));
    await world.settle();
    // Nothing is durable yet.
    expect(await resumeOf(world, alice, 'bob')).toMatchObject({ agent_id: bob.agentId, version: 0 });
    world.store.foreignAppend(REGISTRY_LOG, foreignResume(world, alice.agentId, 1, 'from elsewhere'));
    await releaseHold(world);
    expect(gone).toEqual({ state: 'answered', value: { agent_id: bob.agentId } });
    expect(late.state).not.toBe('answered');
    const entries = logOf(world.store, REGISTRY_LOG).slice(2);
    expect(entries.map(({ event_type, event_data }) => [event_type, event_data.agent_id])).toEqual([
      ['agent.resume', alice.agentId],
      ['agent.unregistered', bob.agentId],
    ]);
    await world.restart();
    await refused(world, (await world.peer('alice')).call('get_resume', { agent: 'bob' }), 'not_found');
  });

  it('[ID7] of an unregistered agent are not found', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    await world.answer(bob.call('set_resume', { summary: 'gone' }));
    await world.answer(bob.call('unregister', {}));
    for (const agent of ['bob', bob.agentId, 'nobody']) {
      for (const op of ['get_resume', 'get_skill'] as const) {
        expect(await refusal(world, alice.call(op, { agent }))).toEqual({
          code: 'not_found',
          message: `params.agent: no agent with name or id "${agent}" is registered`,
          details: { field: 'params.agent', received: agent },
        });
      }
    }
  });

  it('[L7, ID1] can be set only while bound', async () => {
    const { world, bob } = await aCast(['alice', 'bob']);
    const calls = (peer: Peer) => [peer.call('set_resume', { summary: 'x' }), peer.call('set_skill', { text: 'x' })];
    const early = calls(world.stranger()).map((call) => watch(call));
    await world.settle();
    expect(early.map(({ value }) => value)).toMatchObject([{ code: 'unauthenticated' }, { code: 'unauthenticated' }]);
    world.store.conflict(REGISTRY_LOG);
    const late = calls(bob).map(watch);
    // Judged again after the conflict: by then another connection speaks for bob.
    const other = await rebind(world, 'bob');
    expect(late.map(({ state }) => state)).toEqual(['refused', 'refused']);
    expect(late[0]?.value).toMatchObject({ code: 'unauthenticated' });
    expect(await resumeOf(world, other)).toMatchObject({ version: 0 });
    await leave(world, other);
  });

  it('[EV1, EV3] are reported as events and audited once durable', async () => {
    const { world, bob } = await aCast(['alice', 'bob']);
    const heard = recordEvents(world, 'agentChanged', ({ passport, what, version }) => [passport.name, what, version]);
    world.hold = true;
    void bob.call('set_resume', { summary: 'x' });
    void bob.call('set_skill', { text: 'x' });
    await world.settle();
    expect(heard).toEqual([]);
    await releaseHold(world);
    expect(heard).toEqual([
      ['bob', 'resume', 1],
      ['bob', 'skill', 1],
    ]);
    const audit = (await world.hub.audit()).filter(({ kind }) => kind === 'agent_changed');
    expect(audit.map(({ actor, detail }) => [actor, detail])).toEqual([
      [bob.agentId, { name: 'bob', what: 'resume', version: 1 }],
      [bob.agentId, { name: 'bob', what: 'skill', version: 1 }],
    ]);
  });
});
