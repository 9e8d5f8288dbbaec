// A governed run in a real hub: approval, units, restarts and ends.

import { type GovernedState, governed } from 'parley-hub/adapters/governed';
import type { Grant, JsonObject, PostParams, RoundDraft, SessionMetadata } from 'parley-hub/core';
import { readRun } from 'parley-hub/governed/session';
import { expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { acceptance, CONFIG, decision, PLAN, resultOf, said } from '../../adapters/governed/governed-scene.ts';
import { aCast, DAY, EXPECTATIONS, HOUR, logOf, opened, refusal, refused, sessionOf, types } from '../scene.ts';

type Scene = Awaited<ReturnType<typeof aScene>>;

/** alice runs it, bob holds dev, dave may approve. */
async function aScene(config: JsonObject = CONFIG) {
  const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { adapters: [governed], ...EXPECTATIONS });
  const dave = await world.peer('dave');
  const knobs = { config, roles: { dev: 'bob' } };
  const id = await opened(world, alice, [bob, dave], { type: 'governed', knobs });
  await world.answer(world.hub.grant('dave', ['approve']));
  return { world, alice, bob, dave, id };
}

function post({ world, id }: Scene, by: Peer, { event_type, event_data }: RoundDraft, more: Partial<PostParams> = {}) {
  return world.answer(by.call('post', { session_id: id, event_type, event_data, ...more }));
}

/** The run as folded from its log. */
async function read(scene: Scene) {
  const session = await sessionOf(scene.world, scene.alice, scene.id);
  return { session, ...readRun(session, logOf(scene.world.store, scene.id)) };
}

async function accept(scene: Scene, turnId: string, more: object, files: readonly object[] = []): Promise<RoundDraft> {
  const { session, state } = await read(scene);
  return acceptance(session, state, turnId, rawOf(state, turnId, more), { files });
}

function rawOf({ run }: GovernedState, turnId: string, more: object): JsonObject {
  const turn = run.active_turns[turnId];
  if (turn === undefined) throw new Error(`${turnId} is not active`);
  return resultOf(turn, more);
}

async function begun(scene: Scene): Promise<void> {
  await post(scene, scene.alice, said('run.initialized', { run_id: 'run_1' }));
}

async function turn(scene: Scene, turn_id: string, role: string, more: object = {}, files: readonly object[] = []) {
  const { alice } = scene;
  await post(scene, alice, said('turn.assigned', { turn_id, role }));
  await post(scene, alice, said('turn.dispatched', { turn_id }));
  return post(scene, alice, await accept(scene, turn_id, more, files));
}

const approve = (gate_type: string, gate: string) => said('gate.approved', { gate_type, gate });
const PLAN_OK = approve('phase_transition', 'plan_ok');

async function paused(): Promise<Scene> {
  const scene = await aScene();
  await begun(scene);
  await turn(scene, 'turn_p', 'pm', { phase_transition_request: 'building' }, [PLAN]);
  return scene;
}

it('[GS16] resolving a blocked run requires the grant approve', async () => {
  const scene = await aScene();
  const { world, alice, bob, dave } = scene;
  await begun(scene);
  await post(scene, alice, said('run.blocked', { blocked_on: 'human:key', category: 'needs_human' }));
  const answer = said('run.answered', { note: 'the key is in the safe' });
  for (const peer of [alice, bob]) {
    const { code, details } = await refusal(world, post(scene, peer, answer));
    expect({ code, details }).toEqual({ code: 'forbidden', details: { grant: 'approve' } });
  }
  expect((await read(scene)).state.run.status).toBe('blocked');
  await post(scene, dave, answer);
  const { state, events } = await read(scene);
  expect(state.run).toMatchObject({ status: 'active', blocked_on: null });
  const resolved = events.find(({ event_type }) => event_type === 'escalation_resolved');
  expect(resolved?.payload).toMatchObject({ note: 'the key is in the safe', action: 'resume' });
});

it('[AM13, GS8] an approval requires the grant approve', async () => {
  const scene = await paused();
  const { world, alice, bob, dave, id } = scene;
  for (const peer of [alice, bob]) {
    for (const draft of [PLAN_OK, said('gate.refused', { ...PLAN_OK.event_data, reason: 'no' })]) {
      const { code, details } = await refusal(world, post(scene, peer, draft));
      expect({ code, details }).toEqual({ code: 'forbidden', details: { grant: 'approve' } });
    }
  }
  expect((await read(scene)).state.run.status).toBe('paused');
  await world.answer(world.hub.revoke('dave', ['approve']));
  await refused(world, post(scene, dave, PLAN_OK), 'forbidden');
  await world.answer(world.hub.grant('bob', ['approve']));
  await post(scene, bob, PLAN_OK);
  const { state, events } = await read(scene);
  expect(state.run).toMatchObject({ status: 'active', phase: 'building' });
  expect(events.find(({ event_type }) => event_type === 'gate_approved')?.payload.approved_by).toBe(bob.agentId);
  expect(types(logOf(world.store, id)).filter((type) => type === 'gate.approved')).toHaveLength(1);
});

it('[AM13] can_send reports the missing grant', async () => {
  const { world, alice, id } = await paused();
  const can = await world.answer(alice.call('can_send', { session_id: id, event_type: 'gate.approved' }));
  expect(can).toMatchObject({ can: false, code: 'forbidden' });
});

it('[GS7] an expected_seq that is outdated is a conflict, and nothing is written', async () => {
  const scene = await aScene();
  const { world, alice, bob, id } = scene;
  await begun(scene);
  await post(scene, alice, said('turn.assigned', { turn_id: 'turn_p', role: 'pm' }));
  const seen = (await sessionOf(world, alice, id)).head_seq;
  const draft = await accept(scene, 'turn_p', {});
  await post(scene, bob, said('msg.text', { text: 'wait' }));
  const before = logOf(world.store, id);
  const { code, details } = await refusal(world, post(scene, alice, draft, { expected_seq: seen }));
  expect({ code, details }).toEqual({ code: 'conflict', details: { head: seen + 1 } });
  expect(logOf(world.store, id)).toEqual(before);
  await post(scene, alice, draft, { expected_seq: seen + 1 });
  expect((await read(scene)).history).toHaveLength(1);
});

it('[GS4, GS12] the last acceptance and the end of the session are one unit', async () => {
  const open = { ...CONFIG, routing: { only: { entry_role: 'pm' } }, gates: {} };
  const scene = await aScene(open);
  const { world, id } = scene;
  await begun(scene);
  const { seq } = await turn(scene, 'turn_p', 'pm', { run_completion_request: true, decisions: [decision('DEC-001')] });
  const log = logOf(world.store, id);
  const ending = log.filter((envelope) => envelope.seq >= seq);
  expect(types(ending).slice(0, 2)).toEqual(['turn.accepted', 'session.closing']);
  expect(ending[1]?.event_data.reason).toBe('run_completed');
  const { history, ledger, events } = await read(scene);
  expect([history.length, ledger.length]).toEqual([1, 1]);
  expect(events.at(-1)?.event_type).toBe('run_completed');
});

it('[GS5] a post repeated under its key is accepted once; without a key it is rejected', async () => {
  const scene = await aScene();
  const { world, alice } = scene;
  await begun(scene);
  await post(scene, alice, said('turn.assigned', { turn_id: 'turn_p', role: 'pm' }));
  const draft = await accept(scene, 'turn_p', {});
  const first = await post(scene, alice, draft, { idempotency_key: 'accept turn_p' });
  const again = await post(scene, alice, draft, { idempotency_key: 'accept turn_p' });
  expect(again).toMatchObject({ seq: first.seq, duplicate: true });
  const { details } = await refusal(world, post(scene, alice, draft));
  expect(details).toMatchObject({ error_code: 'turn_already_accepted' });
  expect((await read(scene)).history).toHaveLength(1);
});

it('[GS5] one of six concurrent acceptances of a turn wins, five are rejected clearly', async () => {
  const scene = await aScene();
  const { alice, world, id } = scene;
  await begun(scene);
  await post(scene, alice, said('turn.assigned', { turn_id: 'turn_p', role: 'pm' }));
  const { event_type, event_data } = await accept(scene, 'turn_p', { decisions: [decision('DEC-001')] });
  const calls = Array.from({ length: 6 }, () => alice.call('post', { session_id: id, event_type, event_data }));
  const outcomes = Promise.allSettled(calls);
  await world.settle();
  const refused = (await outcomes).flatMap((one) => (one.status === 'rejected' ? [one.reason.details.error_code] : []));
  expect(refused).toEqual(Array(5).fill('turn_already_accepted'));
  const { history, ledger } = await read(scene);
  expect([history.length, ledger.length]).toEqual([1, 1]);
});

it('[GS15] a crash leaves a run as its log says, and repeats nothing', async () => {
  const scene = await paused();
  const before = await read(scene);
  const shown = async () => {
    const alice = await scene.world.peer('alice');
    return (await scene.world.answer(alice.call('get_session', { session_id: scene.id }))).public_state;
  };
  const state = await shown();
  const kept = () => true;
  await scene.world.crash(kept, kept, kept);
  expect(await shown()).toEqual(state);
  const after = readRun(before.session as SessionMetadata, logOf(scene.world.store, scene.id));
  expect(after).toMatchObject({ history: before.history, ledger: before.ledger, events: before.events });
});

it('[GS1, AD21] a session lasts 90 days by default, and a waiting run stays active', async () => {
  const scene = await paused();
  const { world, alice, bob, id } = scene;
  const { created_at, expires_at } = await sessionOf(world, alice, id);
  expect(Date.parse(String(expires_at)) - Date.parse(created_at)).toBe(90 * DAY);
  const knobs = { config: CONFIG };
  const short = await opened(world, alice, [bob], { type: 'governed', knobs, ttl: '1h' });
  const own = await sessionOf(world, alice, short);
  expect(Date.parse(String(own.expires_at)) - Date.parse(own.created_at)).toBe(HOUR);
  world.clock.advance(80 * DAY);
  world.hub.sweep();
  await world.settle();
  expect(await sessionOf(world, alice, id)).toMatchObject({ state: 'ACTIVE' });
});

it('[GS13] a turn without a result after two hours is a violation', async () => {
  const scene = await aScene();
  const { world, alice, bob, id } = scene;
  await begun(scene);
  await post(scene, alice, said('turn.assigned', { turn_id: 'turn_d', role: 'dev' }));
  await post(scene, alice, said('turn.dispatched', { turn_id: 'turn_d' }));
  world.clock.advance(2 * HOUR + 1000);
  world.hub.sweep();
  await world.settle();
  const violations = logOf(world.store, id).filter(({ event_type }) => event_type === 'expectation.violated');
  expect(violations.map(({ event_data }) => event_data.violators ?? event_data)).toHaveLength(1);
  expect(JSON.stringify(violations)).toContain(bob.agentId);
});

it('[GS1] a session whose roles or runner name nobody is not created', async () => {
  const { world, alice } = await aScene();
  const create = (knobs: JsonObject) =>
    alice.call('create_session', { type: 'governed', participants: ['bob'], knobs });
  for (const [knobs, field] of [
    [{ config: CONFIG, roles: { dev: 'dave' } }, 'knobs.roles.dev'],
    [{ config: CONFIG, runner: 'mallory' }, 'knobs.runner'],
    [{ config: { ...CONFIG, roles: {} } }, 'knobs.config'],
  ] as const) {
    const { code, details } = await refusal(world, create(knobs));
    expect([code, details?.field]).toEqual(['invalid_create', field]);
  }
});

it('[AM13] the grants of the credential apply to its requests', async () => {
  const scene = await paused();
  const { world, id } = scene;
  const ask = (grants: readonly Grant[]) =>
    world.answer(
      world.hub.ask({
        op: 'post',
        params: async () => ({ session_id: id, ...PLAN_OK }),
        as: null,
        auth: { scheme: 'token' },
        authenticate: () => ({ id: 'test:bob', name: 'bob', grants, expires_at_ms: null }),
        unproven: () => {},
      }),
    );
  await expect(ask(['operate'])).rejects.toMatchObject({ code: 'forbidden', details: { grant: 'approve' } });
  expect(await ask(['approve'])).toMatchObject({ seq: expect.any(Number) });
});
