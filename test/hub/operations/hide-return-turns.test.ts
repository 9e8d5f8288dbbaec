// Hidden, removed and returned participants: where the turn moves, in rotations and in graphs.

import { discussion } from 'parley-hub/adapters/discussion';
import { CONDITIONS, TARGETS, type TransitionGraph } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import { handoff, type JsonObject, type Params } from 'parley-hub/core';
import { turnWithin } from 'parley-hub/expectations/entries';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, aWorld, logOf, opened, refused, SECOND, say, standing, types } from '../scene.ts';

const NAMES = ['alice', 'bob', 'carol', 'dave'] as const;
type Name = (typeof NAMES)[number];

interface Stage {
  readonly world: World;
  readonly id: string;
  readonly peers: Record<Name, Peer>;
  hide(...names: readonly Name[]): Promise<void>;
  remove(...names: readonly Name[]): Promise<void>;
  comeBack(...names: readonly Name[]): Promise<void>;
  says(...names: readonly Name[]): Promise<void>;
  turn(): Promise<string | null>;
}

async function stage(more: Partial<Params<'create_session'>>): Promise<Stage> {
  const adapters = [...ADAPTERS, discussion, workflow];
  const world = await aWorld({}, { adapters, conditions: CONDITIONS, targets: TARGETS });
  const peers = {} as Record<Name, Peer>;
  for (const name of NAMES) peers[name] = await world.peer(name);
  const { alice, ...others } = peers;
  const id = await opened(world, alice, Object.values(others), { expectations: [], ...more });
  const each = (names: readonly Name[], act: (name: Name) => Promise<unknown>) =>
    names.reduce<Promise<void>>((before, name) => before.then(async () => void (await act(name))), Promise.resolve());
  return {
    world,
    id,
    peers,
    hide: (...names) => each(names, (name) => world.answer(world.hub.hideParticipant(id, name))),
    remove: (...names) => each(names, (name) => world.answer(world.hub.removeParticipant(id, name))),
    comeBack: (...names) =>
      each(names, (name) => world.answer(peers[name].call('return_to_session', { session_id: id }))),
    says: (...names) => each(names, (name) => say(world, peers[name], id, `${name} speaks`)),
    async turn() {
      const { turn } = await world.answer(alice.call('get_session', { session_id: id }));
      return NAMES.find((name) => peers[name].agentId === turn?.agent_id) ?? turn?.agent_id ?? null;
    },
  };
}

describe('in a discussion', () => {
  const discuss = (more: Partial<Params<'create_session'>> = {}) => stage({ type: 'discussion', ...more });

  it.each(NAMES)(
    '[MB4, OPR3] skips %s in every round while hidden, and gives it its place back afterwards',
    async (who) => {
      const { hide, comeBack, says, turn } = await discuss();
      await hide(who);
      const others = NAMES.filter((name) => name !== who);
      await says(...others, ...others);
      expect(await turn()).toBe(others[0]);
      await comeBack(who);
      // One round from the turn holder, through every place.
      const from = NAMES.indexOf(others[0] as Name);
      const round = [...NAMES.slice(from), ...NAMES.slice(0, from)];
      await says(...round, ...round);
      expect(await turn()).toBe(others[0]);
    },
  );

  it('[MB4] moves the turn when its holder is hidden, and notifies the new holder', async () => {
    const { world, id, peers, hide, says, turn } = await discuss();
    await says('alice');
    await hide('carol');
    expect(await turn()).toBe('bob');
    await hide('bob');
    const hidden = logOf(world.store, id).at(-1);
    expect(peers.dave.notifies(id).at(-1)).toMatchObject({
      envelope: { seq: hidden?.seq, event_type: 'session.participant.hidden' },
      turn: { agent_id: peers.dave.agentId, since_seq: hidden?.seq },
    });
  });

  it('[MB4] moves no turn when a participant returns; its wait begins with its next turn', async () => {
    const { world, id, hide, comeBack, says, turn } = await discuss({
      expectations: [turnWithin(20, 'audit', { appliesTo: ['bob'] })],
    });
    await says('alice');
    await hide('bob');
    await world.pass(30 * SECOND);
    await comeBack('bob');
    expect(await turn()).toBe('carol');
    await says('carol', 'dave', 'alice');
    expect(await turn()).toBe('bob');
    await world.pass(19 * SECOND);
    expect(types(logOf(world.store, id))).not.toContain('expectation.violated');
    await world.pass(SECOND);
    expect(types(logOf(world.store, id)).at(-1)).toBe('expectation.violated');
  });

  it('[MB5] gives a removed participant no turn any more, even if it had the turn or was hidden', async () => {
    const { hide, remove, says, turn } = await discuss();
    await hide('carol');
    await says('alice');
    await remove('bob');
    expect(await turn()).toBe('dave');
    await remove('carol');
    await says('dave', 'alice', 'dave');
    expect(await turn()).toBe('alice');
  });

  it('[LC12] closes as below_minimum with fewer than two members; hidden ones count', async () => {
    const { world, id, peers, hide, remove } = await discuss();
    await hide('bob', 'carol');
    await remove('dave', 'carol');
    expect(await standing(world, peers.alice, id)).toBe(
      'ACTIVE: alice active, bob hidden, carol removed, dave removed',
    );
    await remove('bob');
    await world.pass(SECOND);
    expect(await standing(world, peers.alice, id)).toContain('CLOSED (below_minimum)');
  });

  it.each(['hide', 'remove'] as const)(
    '[LC12] closes as no_active_participants in the same unit when nobody is active (%s)',
    async (how) => {
      const scene = await discuss();
      const { world, id, peers } = scene;
      await scene.hide('bob', 'carol', 'dave');
      await scene[how]('alice');
      await world.pass(SECOND);
      expect(types(logOf(world.store, id)).slice(-3)).toEqual([
        how === 'hide' ? 'session.participant.hidden' : 'session.participant.removed',
        'session.closing',
        'session.closed',
      ]);
      expect(await standing(world, peers.bob, id)).toContain('CLOSED (no_active_participants)');
      const late = world.hub.returnParticipant(id, 'bob');
      await refused(world, late, 'session_closed');
    },
  );

  it('[LC12, EX3] closes the session in its unit when an expectation hides the last active participant', async () => {
    const { world, id, peers, hide } = await discuss({ expectations: [turnWithin(5, 'hide')] });
    await hide('bob', 'carol', 'dave');
    await world.pass(6 * SECOND);
    expect(types(logOf(world.store, id)).slice(-4).join(' ')).toBe(
      'expectation.violated session.participant.hidden session.closing session.closed',
    );
    expect(await standing(world, peers.alice, id)).toContain('CLOSED (no_active_participants)');
  });
});

describe('in a workflow', () => {
  const from = (agent_id: Name) => ({ name: 'from_speaker', args: { agent_id } });
  const to = (agent_id: Name) => ({ name: 'agent', args: { agent_id } });
  /** alice ▸ bob, else carol; bob ▸ carol; any other ▸ dave. */
  const graph: TransitionGraph = {
    initial_speaker: 'alice',
    transitions: [
      { when: from('alice'), then: to('bob'), priority: 0 },
      { when: from('alice'), then: to('carol'), priority: 1 },
      { when: from('bob'), then: to('carol'), priority: 0 },
    ],
    default_target: to('dave'),
    max_turns: null,
  };
  const flow = (more: Partial<TransitionGraph> = {}) =>
    stage({ type: 'workflow', knobs: { graph: { ...graph, ...more } as unknown as JsonObject } });

  it('[MB4, WF2] skips a rule whose target is hidden, until the target returns', async () => {
    const { world, id, peers, hide, comeBack, says, turn } = await flow();
    await hide('bob');
    await says('alice');
    expect(await turn()).toBe('carol');
    await says('carol');
    expect(await turn()).toBe('dave');
    await comeBack('bob');
    const toAlice = { session_id: id, ...handoff('alice', { body: 'again' }) };
    await world.answer(peers.dave.call('post', toAlice));
    await says('alice');
    expect(await turn()).toBe('bob');
  });

  it('[MB4, WF2] uses the default if every target is hidden, and the next in order if that is hidden too', async () => {
    const { hide, says, turn } = await flow();
    await hide('bob', 'carol');
    await says('alice');
    expect(await turn()).toBe('dave');
    const other = await flow();
    await other.hide('carol', 'dave');
    await other.says('alice', 'bob');
    expect(await other.turn()).toBe('alice');
  });

  it('[MB4, WF4] rejects a handoff to a hidden or removed participant, names the active ones, and changes nothing', async () => {
    const { world, id, peers, hide, remove, comeBack, turn } = await flow();
    await hide('carol');
    await remove('dave');
    const before = logOf(world.store, id);
    const give = (name: string) => peers.alice.call('post', { session_id: id, ...handoff(name, { body: 'yours' }) });
    for (const name of ['carol', 'dave']) {
      await refused(world, give(name), 'protocol_error', {
        field: 'routing.target',
        expected: 'an active participant (alice, bob)',
      });
    }
    expect(logOf(world.store, id)).toEqual(before);
    await comeBack('carol');
    await world.answer(give('carol'));
    expect(await turn()).toBe('carol');
  });

  it.each([
    ['the default target', {}, [], 'dave'],
    ['the next active one if the default target is hidden', {}, ['dave'], 'carol'],
    ['the next active one if the default is to end', { default_target: null }, [], 'carol'],
    [
      'the initiator if that is the default',
      { default_target: { name: 'revert_to_initiator', args: {} } },
      [],
      'alice',
    ],
  ] as const)('[MB4, WF7] moves the turn of a hidden holder to %s', async (_what, more, hidden, next) => {
    const { world, id, peers, hide, comeBack, says, turn } = await flow(more);
    await says('alice');
    await hide(...hidden);
    expect(await turn()).toBe('bob');
    await hide('bob');
    expect(await turn()).toBe(next);
    expect(await standing(world, peers.alice, id)).toMatch(/^ACTIVE: alice active, bob hidden/);
    // bob has its place back, but the turn stays where it is.
    await comeBack('bob');
    expect(await turn()).toBe(next);
  });

  it('[MB4, WF7] moves the turn of a hidden first speaker, which is a target again once it returns', async () => {
    const { hide, comeBack, says, turn } = await flow({
      transitions: [{ when: from('dave'), then: to('alice'), priority: 0 }],
    });
    await hide('alice');
    expect(await turn()).toBe('dave');
    await comeBack('alice');
    await says('dave');
    expect(await turn()).toBe('alice');
  });

  it('[MB4, WF5] does not let a hidden participant change the context', async () => {
    const { world, id, peers, hide, comeBack } = await flow();
    const set = () =>
      peers.carol.call('post', { session_id: id, event_type: 'context.set', event_data: { set: { done: true } } });
    await hide('carol');
    await refused(world, set(), 'not_your_turn');
    await comeBack('carol');
    await world.answer(set());
  });
});
