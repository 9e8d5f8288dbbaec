// Awaited decisions, shown to those who may know, in lists too, whether the session is loaded or not.

import { governed } from 'parley-hub/adapters/governed';
import type { RoundDraft, SessionAdapter } from 'parley-hub/core';
import { readRun } from 'parley-hub/governed/session';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { acceptance, CONFIG, PLAN, resultOf, said } from '../../adapters/governed/governed-scene.ts';
import { type PanelState, panelOf } from '../panel.ts';
import { aCast, aWorld, EXPECTATIONS, logOf, opened, refused, say, sessionOf } from '../scene.ts';

const GATE = { text: 'gate plan_ok waits for approval', grant: 'approve' };
const QUESTION = { text: 'a question waits for an answer', grant: 'approve' };

/** alice runs it, dave may approve, carol is invited, olive observes, mallory is a non-participant. */
async function aScene() {
  const world = await aWorld({}, { adapters: [governed], ...EXPECTATIONS });
  const join = async (...names: string[]) => Promise.all(names.map((name) => world.peer(name)));
  const [alice, dave, carol, olive, mallory] = (await join('alice', 'dave', 'carol', 'olive', 'mallory')) as [
    Peer,
    Peer,
    Peer,
    Peer,
    Peer,
  ];
  await world.answer(world.hub.grant('dave', ['approve']));
  await world.answer(world.hub.grant('olive', ['observe']));
  const id = await opened(world, alice, [dave], { type: 'governed', knobs: { config: CONFIG } });
  await world.answer(alice.call('add_participant', { session_id: id, participant: carol.agentId }));
  const post = ({ event_type, event_data }: RoundDraft, by: Peer = alice) =>
    world.answer(by.call('post', { session_id: id, event_type, event_data }));
  await post(said('run.initialized', { run_id: 'run_1' }));
  const turn = async (turn_id: string, more: object): Promise<number> => {
    await post(said('turn.assigned', { turn_id, role: 'pm' }));
    await post(said('turn.dispatched', { turn_id }));
    const session = await sessionOf(world, alice, id);
    const { state } = readRun(session, logOf(world.store, id));
    const out = state.run.active_turns[turn_id];
    if (out === undefined) throw new Error(`${turn_id} is not out`);
    return (await post(acceptance(session, state, turn_id, resultOf(out, more), { files: [PLAN] }))).seq;
  };
  return { world, alice, dave, carol, olive, mallory, id, post, turn };
}

async function row(world: World, by: Peer, id: string) {
  return (await world.answer(by.call('describe_sessions', { session_ids: [id] }))).sessions[0];
}

async function decisions(world: World, olive: Peer) {
  const { waits } = await world.answer(olive.call('hub_figures', {}));
  return waits.filter(({ what }) => what === 'decision');
}

describe('an awaited decision', () => {
  it('[CN7, CN8, CN11, AD22, GS17] is shown in rows, states and figures with its time', async () => {
    const { world, alice, dave, olive, id, post, turn } = await aScene();
    expect((await row(world, alice, id))?.awaits).toBeNull();
    const asked = await turn('turn_1', { status: 'needs_human', needs_human_reason: 'Which colour is it?' });
    const at = (seq: number) => logOf(world.store, id)[seq - 1]?.created_at;
    world.clock.advance(5_000);
    await say(world, dave, id, 'I think about it.');
    const question = { ...QUESTION, since_seq: asked, since_at: at(asked) };
    expect((await row(world, alice, id))?.awaits).toEqual(question);
    expect((await world.answer(dave.call('read_state', { session_id: id }))).awaits).toEqual(question);
    expect(await decisions(world, olive)).toEqual([
      { session_id: id, agent_id: null, name: null, what: 'decision', ...QUESTION, since_at: at(asked), due_at: null },
    ]);
    await post(said('run.answered', { note: 'blue' }), dave);
    expect((await row(world, alice, id))?.awaits).toBeNull();
    const gate = await turn('turn_2', { phase_transition_request: 'building' });
    // A refusal leaves it waiting since the same moment.
    await post(said('gate.refused', { gate_type: 'phase_transition', gate: 'plan_ok', reason: 'thin' }), dave);
    expect((await row(world, alice, id))?.awaits).toEqual({ ...GATE, since_seq: gate, since_at: at(gate) });
    const then = await world.answer(dave.call('read_state', { session_id: id, at_seq: asked }));
    expect(then.awaits).toEqual(question);
    expect((await world.answer(dave.call('read_state', { session_id: id, at_seq: asked - 1 }))).awaits).toBeNull();
    await post(said('gate.approved', { gate_type: 'phase_transition', gate: 'plan_ok' }), dave);
    expect((await world.answer(dave.call('read_state', { session_id: id }))).awaits).toBeNull();
  });

  it('[CN7, CN11, ST11] is known after a restart without loading the session, and to observers', async () => {
    const { world, id, turn } = await aScene();
    const since_seq = await turn('turn_1', { phase_transition_request: 'building' });
    const since_at = logOf(world.store, id)[since_seq - 1]?.created_at;
    await world.restart();
    const olive = await world.peer('olive');
    expect((await row(world, olive, id))?.awaits).toEqual({ ...GATE, since_seq, since_at });
    expect(await decisions(world, olive)).toMatchObject([{ session_id: id, ...GATE, since_at }]);
  });

  it('[CN7, L7] is not shown to invitees, removed participants and non-participants', async () => {
    const { world, dave, carol, mallory, id, turn } = await aScene();
    await turn('turn_1', { phase_transition_request: 'building' });
    expect(await row(world, carol, id)).toMatchObject({ session_id: id, awaits: null });
    expect(await row(world, mallory, id)).toBeUndefined();
    await world.answer(world.hub.removeParticipant(id, 'dave'));
    expect(await row(world, dave, id)).toMatchObject({ session_id: id, awaits: null });
    expect((await world.answer(dave.call('read_state', { session_id: id }))).awaits).toBeNull();
  });

  it('[AD22] with invalid text or grant is a defect of the adapter: nothing is written', async () => {
    for (const odd of [
      { text: '', grant: 'approve' },
      { text: 'x'.repeat(201), grant: 'approve' },
      { text: 'x', grant: 'rule' },
      { text: 'a\nb', grant: 'approve' },
      'x',
    ]) {
      const adapter = {
        ...panelOf('odd', 2),
        awaits: (_: unknown, { said: times }: PanelState) => (times === 0 ? null : odd),
      } as unknown as SessionAdapter<PanelState>;
      const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { adapters: [adapter], ...EXPECTATIONS });
      const id = await opened(world, alice, [bob], { type: 'odd' });
      const before = logOf(world.store, id).length;
      const call = alice.call('post', { session_id: id, event_type: 'msg.text', event_data: { text: 'hi' } });
      await refused(world, call, 'internal');
      expect(logOf(world.store, id)).toHaveLength(before);
    }
  });
});
