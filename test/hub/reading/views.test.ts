import type { SessionMetadata, ViewRef } from 'parley-hub/core';
import { named, sinceMyLastTurn, tokenBudget, windowedSummary } from 'parley-hub/views/refs';
import { describe, expect, it } from 'vitest';
import { World } from '../../../src/testing/doubles/world.ts';
import { panelOf } from '../panel.ts';
import { aConversation, EXPECTATIONS, logOf, opened, refusal, say, VIEWS } from '../scene.ts';
import { aLatePanel, contents, foreign, see } from './view-scene.ts';

const noText = { event_type: 'vote.cast', event_data: { choice: 'yes' } };

describe('visible lines', () => {
  it('[VW1] are none for invitees that have not joined or have declined', async () => {
    const { world, carol, id } = await aLatePanel();
    const look = () => refusal(world, carol.call('read_view', { session_id: id }));
    expect(await look()).toEqual({
      code: 'forbidden',
      message: `you cannot read session ${id}: answer its invite first`,
      details: { status: 'invited' },
    });
    await world.answer(carol.call('reject_invite', { session_id: id }));
    expect(await look()).toMatchObject({ code: 'forbidden', details: { status: 'rejected' } });
  });

  it('[VW2] start at the beginning for late joiners', async () => {
    const { world, bob, carol, id, join } = await aLatePanel();
    await join();
    expect(await contents(world, carol, id)).toEqual(['one', 'two']);
    expect(await contents(world, bob, id)).toEqual(['one', '> two']);
  });

  it('[VW2] are content of every type, and no hub envelopes, tasks or context', async () => {
    const { world, alice, bob, id, join } = await aLatePanel();
    await join();
    await world.answer(alice.call('post', { session_id: id, ...noText }));
    await foreign(world, bob, id, 'task.started', { task: 'x' });
    await foreign(world, bob, id, 'context.set', { set: 'x' });
    await foreign(world, bob, id, 'session.participant.hidden', { agent_id: alice.agentId });
    const said = ['> one', 'two', '> vote.cast {"choice":"yes"}', 'go on', 'go on', 'go on'];
    expect(await contents(world, alice, id)).toEqual(said);
  });

  it('[VW2] include a whisper for its sender and its audience', async () => {
    const { world, alice, bob, carol, id, join } = await aLatePanel();
    await join();
    await say(world, alice, id, 'psst', { audience: [carol.agentId] });
    expect(await contents(world, alice, id)).toEqual(['> one', 'two', '> psst']);
    expect(await contents(world, bob, id)).toEqual(['one', '> two']);
    expect(await contents(world, carol, id)).toEqual(['one', 'two', 'psst']);
    const summary = windowedSummary(1);
    expect(await contents(world, bob, id, summary)).toEqual([
      'Earlier in this session: 1 message from alice.',
      '> two',
    ]);
    expect((await contents(world, carol, id, summary))[0]).toBe('Earlier in this session: 2 messages from alice, bob.');
  });

  it('[VW2] continue for a hidden participant, and end at the removal for a removed one', async () => {
    const { world, alice, bob, carol, id, join } = await aLatePanel();
    await join();
    await foreign(world, alice, id, 'session.participant.hidden', { agent_id: bob.agentId });
    expect(await contents(world, bob, id)).toEqual(['one', '> two', 'go on']);
    await foreign(world, alice, id, 'session.participant.removed', { agent_id: carol.agentId });
    await say(world, alice, id, 'now that she is gone');
    const removal = logOf(world.store, id).findLast(({ event_type }) => event_type === 'session.participant.removed');
    const seen = await see(world, carol, id, windowedSummary(1));
    expect(seen).toMatchObject({ at_seq: removal?.seq, earlier: 2, next: null });
    expect(seen.messages.map(({ content }) => content)).toEqual([
      'Earlier in this session: 2 messages from alice, bob.',
      'go on',
    ]);
    expect(await see(world, carol, id, windowedSummary(1), (removal?.seq ?? 0) + 1)).toEqual(seen);
    expect((await contents(world, bob, id)).at(-1)).toBe('now that she is gone');
  });

  it('[VW3] include a violation for its audience, as a line of the hub', async () => {
    const { world, alice, bob, carol, id, join } = await aLatePanel();
    await join();
    const violation = { name: 'turn_within', detail: 'bob has had the turn for 120 s' };
    await foreign(world, alice, id, 'expectation.violated', violation, [bob.agentId]);
    await foreign(world, alice, id, 'expectation.violated', { name: 'max_silence' });
    await foreign(world, alice, id, 'expectation.violated', { name: 'max_turns' }, []);
    const told = '[hub]: expectation turn_within was violated: bob has had the turn for 120 s';
    const everyone = '[hub]: expectation max_silence was violated';
    expect((await contents(world, bob, id)).slice(2)).toEqual([told, 'go on', everyone, 'go on', 'go on']);
    expect((await contents(world, carol, id)).slice(2)).toEqual(['go on', everyone, 'go on', 'go on']);
    expect((await contents(world, bob, id, windowedSummary(1)))[0]).toBe(
      'Earlier in this session: 6 messages from alice, bob, hub.',
    );
  });

  it('[VW3] are rendered by the adapter of the session', async () => {
    const loud = { ...panelOf('loud', 1), render: () => 'HEY' };
    const world = await World.start({ adapters: [loud], ...EXPECTATIONS, views: VIEWS });
    const alice = await world.peer('alice');
    const id = await opened(world, alice, [], { type: 'loud', participants: ['alice'] });
    await say(world, alice, id, 'hey');
    expect(await contents(world, alice, id)).toEqual(['> HEY']);
  });
});

describe('the choice of a view', () => {
  it('[VW9] is the session’s default, or the requested view with its parsed parameters', async () => {
    const { world, alice, bob, id } = await aConversation({}, { views: VIEWS });
    for (let i = 1; i <= 12; i++) await say(world, i % 2 === 0 ? bob : alice, id, `m${i}`);
    const shown = await see(world, alice, id);
    expect(shown).toMatchObject({
      at_seq: 16,
      view: { name: 'windowed_summary', params: { recent_n: 10, named: false } },
      earlier: 2,
      next: null,
    });
    expect(shown.messages[0]?.content).toBe('Earlier in this session: 2 messages from alice, bob.');
    expect(shown.messages).toHaveLength(11);
    expect(await contents(world, alice, id, sinceMyLastTurn())).toEqual(['m12']);
    expect(await contents(world, alice, id, named(tokenBudget(5)))).toEqual(['> m11', '[bob]: m12']);
    expect(await see(world, alice, id, shown.view)).toEqual(shown);
  });

  it('[VW9] rejects unknown views and invalid parameters by field', async () => {
    const { world, alice, id } = await aConversation({}, { views: VIEWS });
    const look = (view: object) => refusal(world, alice.call('read_view', { session_id: id, view: view as ViewRef }));
    expect(await look({ name: 'everything' })).toEqual({
      code: 'bad_frame',
      message:
        'params.view.name: expected one of full_transcript, since_my_last_turn, token_budget, windowed_summary, got "everything"',
      details: {
        field: 'params.view.name',
        expected: 'one of full_transcript, since_my_last_turn, token_budget, windowed_summary',
        received: '"everything"',
      },
    });
    expect(await look({ name: 'windowed_summary', params: { recent_n: 0 } })).toEqual({
      code: 'bad_frame',
      message: 'windowed_summary: recent_n: expected a whole number ≥ 1, got 0',
      details: { field: 'params.view.params.recent_n', expected: 'a whole number ≥ 1', received: '0' },
    });
    expect(await look({ name: 'full_transcript', params: { last: 3 } })).toMatchObject({
      code: 'bad_frame',
      message: 'full_transcript: last: expected one of named, got "last"',
    });
    expect(await look({ name: 'full_transcript', params: { named: 'x'.repeat(70_000) } })).toMatchObject({
      code: 'too_large',
    });
    expect(await look({ params: {} })).toMatchObject({ details: { field: 'params.view.name' } });
    expect((await see(world, alice, id, { name: 'full_transcript' } as ViewRef)).messages).toEqual([]);
  });

  it('[VW10] passes the requested seq to the adapter, whoever joined or left since', async () => {
    const counting = {
      ...panelOf('counting', 1),
      defaultView: ({ head_seq }: SessionMetadata) => windowedSummary(head_seq),
    };
    const world = await World.start({ adapters: [counting], views: VIEWS });
    const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
    const id = await opened(world, alice, [bob], { type: 'counting' });
    for (let i = 0; i < 4; i++) await say(world, alice, id, 'x');
    const live = await see(world, alice, id);
    expect(live.view.params.recent_n).toBe(live.at_seq);
    await say(world, alice, id, 'y');
    expect(await see(world, alice, id, undefined, live.at_seq)).toEqual(live);
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    expect(await see(world, alice, id, undefined, live.at_seq)).toEqual(live);
  });

  it('[VW10] rejects a seq beyond the head', async () => {
    const { world, alice, id } = await aConversation({}, { views: VIEWS });
    expect(await refusal(world, alice.call('read_view', { session_id: id, at_seq: 5 }))).toEqual({
      code: 'bad_frame',
      message: 'params.at_seq: expected a seq of the session, at most 4, got 5',
      details: { field: 'params.at_seq', expected: 'a seq of the session, at most 4', received: '5' },
    });
    expect((await see(world, alice, id, undefined, 4)).messages).toEqual([]);
  });
});
