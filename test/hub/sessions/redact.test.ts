import { CONDITIONS, sequence, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/lib/json.ts';
import { digestsOf, REDACTED_EVENT, REDACTIONS_LOG } from '../../../src/core/records/session/redaction.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { durably } from '../../store/contract/read-store.ts';
import { hubUnit } from '../../support/sample-records.ts';
import {
  aCast,
  aConversation,
  aPanel,
  logOf,
  opened,
  recordEvents,
  refusal,
  refused,
  releaseHold,
  say,
  text,
  VIEWS,
} from '../scene.ts';

const SECRET = 'sk-live-0123456789';

async function operator(world: World): Promise<Peer> {
  const olga = await world.peer('olga');
  await world.answer(world.hub.grant('olga', ['operate', 'observe']));
  return olga;
}

async function stateOf(world: World, peer: Peer, session_id: string) {
  const { session, turn, public_state } = await world.answer(peer.call('get_session', { session_id }));
  return { session, turn, public_state };
}

describe('redact', () => {
  it('[RD1, RD2] replaces the content by a tombstone with actor, time, reason and digest', async () => {
    const { world, alice, bob, id } = await aConversation();
    const olga = await operator(world);
    const { seq, envelope_id } = await say(world, alice, id, `my key is ${SECRET}`);
    const answer = await world.answer(olga.call('redact', { session_id: id, seq, reason: 'a key' }));
    expect(answer).toMatchObject({ session_id: id, seq, envelope_id, pinned: true });
    expect(answer.redacted).toMatchObject({ by: olga.agentId, reason: 'a key' });
    for (const peer of [alice, bob, olga]) {
      const { envelopes } = await world.answer(peer.call('read_log', { session_id: id }));
      const envelope = envelopes.find((one) => one.seq === seq);
      expect(envelope).toMatchObject({
        envelope_id,
        sender_id: alice.agentId,
        event_data: { text: '[redacted]' },
        redacted: answer.redacted,
      });
      expect(JSON.stringify(envelopes)).not.toContain(SECRET);
    }
  });

  it('[RD1] applies to views, search, observers, repeats and later readers, live and after a restart', async () => {
    const { world, alice, bob, id } = await aConversation({}, { views: VIEWS });
    bob.acks = false;
    const { seq } = await say(world, alice, id, `my key is ${SECRET}`);
    await say(world, alice, id, 'more');
    const olga = await operator(world);
    await world.answer(olga.call('redact', { session_id: id, seq }));
    const check = async (): Promise<void> => {
      const [again, watcher] = [world.stranger(), world.stranger()];
      again.hello('bob');
      watcher.hello('olga');
      await world.settle();
      const view = { name: 'full_transcript' };
      const { messages } = await world.answer(again.call('read_view', { session_id: id, view }));
      expect(messages.find((message) => message.seq === seq)?.content).toContain('[redacted]');
      expect((await world.answer(again.call('search_sessions', { query: SECRET }))).matches).toEqual([]);
      expect((await world.answer(again.call('search_sessions', { query: 'redacted' }))).matches).toEqual([]);
      await world.answer(watcher.call('subscribe', { session_id: id, after_seq: 0 }));
      expect(watcher.observed(id)).toContain(seq);
      // It was not acked: it is delivered again, as a tombstone.
      expect(again.seqs(id)).toContain(seq);
      expect(JSON.stringify([again.frames, watcher.frames])).not.toContain(SECRET);
    };
    await check();
    world.hub.evictIdle();
    await check();
    await world.restart();
    await check();
  });

  it('[RD1] repeats a nacked envelope as a tombstone', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    const { seq } = await say(world, alice, id, SECRET);
    expect(JSON.stringify(bob.frames)).toContain(SECRET);
    bob.receipt(id, seq, 'nack', 'busy');
    await world.answer(world.hub.redact(id, seq));
    const before = bob.frames.length;
    await world.pass(3000);
    const again = bob.frames.slice(before);
    expect(JSON.stringify(again)).toContain('[redacted]');
    expect(JSON.stringify(again)).not.toContain(SECRET);
  });

  it('[RD3] requires the `operate` grant: not_found for a non-participant, forbidden for a participant', async () => {
    const { world, alice, id } = await aConversation();
    const { seq } = await say(world, alice, id, SECRET);
    const dave = await world.peer('dave');
    await refused(world, dave.call('redact', { session_id: id, seq }), 'not_found');
    await refused(world, alice.call('redact', { session_id: id, seq }), 'forbidden');
    await world.answer(world.hub.grant('dave', ['observe']));
    await refused(world, dave.call('redact', { session_id: id, seq }), 'not_found');
    expect(JSON.stringify((await world.answer(alice.call('read_log', { session_id: id }))).envelopes)).toContain(
      SECRET,
    );
  });

  it('[RD4] rejects lifecycle envelopes and missing ones', async () => {
    const { world, alice, id } = await aConversation();
    const olga = await operator(world);
    await world.answer(alice.call('close_session', { session_id: id, reason: SECRET }));
    for (const { seq, event_type } of logOf(world.store, id)) {
      const refused = await refusal(world, olga.call('redact', { session_id: id, seq }));
      expect(refused).toMatchObject({ code: 'forbidden', details: { field: 'params.seq', event_type } });
    }
    await refused(world, olga.call('redact', { session_id: id, seq: 99 }), 'not_found', 'params.seq');
  });

  it('[RD5] is rejected while the state holds the content, and accepted afterwards', async () => {
    const { world, alice, bob } = await aCast(
      ['alice', 'bob'],
      {},
      { adapters: [workflow], conditions: CONDITIONS, targets: TARGETS },
    );
    const id = await opened(world, alice, [bob], { type: 'workflow', knobs: { graph: sequence(['alice', 'bob']) } });
    const olga = await operator(world);
    const set = (value: string) =>
      world.answer(
        alice.call('post', { session_id: id, event_type: 'context.set', event_data: { set: { token: value } } }),
      );
    const { seq } = await set(SECRET);
    const refused = await refusal(world, olga.call('redact', { session_id: id, seq }));
    expect(refused).toMatchObject({ code: 'conflict', details: { field: 'params.seq' } });
    expect(refused.details?.held).toContain('token');
    await set('none');
    const before = await stateOf(world, alice, id);
    expect(await world.answer(olga.call('redact', { session_id: id, seq }))).toMatchObject({ pinned: true });
    expect(await stateOf(world, alice, id)).toEqual(before);
    await world.restart();
    expect(await stateOf(world, await world.peer('alice'), id)).toEqual(before);
  });

  it('[RD5] rejects content held as a name, a number or the close reason', async () => {
    const { world, alice, bob } = await aCast(
      ['alice', 'bob'],
      {},
      { adapters: [workflow], conditions: CONDITIONS, targets: TARGETS },
    );
    const id = await opened(world, alice, [bob], { type: 'workflow', knobs: { graph: sequence(['alice', 'bob']) } });
    const post = (event_type: string, event_data: JsonObject) =>
      world.answer(alice.call('post', { session_id: id, event_type, event_data }));
    const name = await post('context.set', { set: { [SECRET]: true } });
    const number = await post('context.set', { set: { pin: 99887766 } });
    const finish = await post('msg.packet', { body: 'bye', routing: { kind: 'finish', reason: 'sk-live-finish' } });
    for (const [{ seq }, held] of [
      [name, 'adapter_state'],
      [number, 'pin'],
      [finish, 'close_reason'],
    ] as const) {
      const refused = await refusal(world, world.hub.redact(id, seq));
      expect(refused).toMatchObject({ code: 'conflict', details: { held: expect.stringContaining(held) } });
    }
  });

  it('[RD5] rejects the failure of a task while the state holds its reason', async () => {
    const { world, alice, id } = await aConversation();
    const { task } = await world.answer(alice.call('start_task', { session_id: id, title: 'look' }));
    const ref = { session_id: id, task_id: task.task_id };
    const failed = await world.answer(alice.call('fail_task', { ...ref, reason: SECRET, result: { a: 'b' } }));
    const refused = await refusal(world, world.hub.redact(id, failed.task.ended_seq ?? 0));
    expect(refused).toMatchObject({ code: 'conflict', details: { held: 'tasks.ended.0.reason' } });
  });

  it('[RD6] changes neither state, turn, log nor expectations of the session', async () => {
    const { world, alice, bob, id } = await aPanel();
    const olga = await operator(world);
    const { seq } = await say(world, alice, id, SECRET);
    const [before, log] = [await stateOf(world, alice, id), logOf(world.store, id)];
    const heard = bob.frames.length;
    await world.answer(olga.call('redact', { session_id: id, seq }));
    expect(await stateOf(world, alice, id)).toEqual(before);
    expect(logOf(world.store, id)).toEqual(log);
    expect(bob.frames.length).toBe(heard);
    world.hub.evictIdle();
    expect(await stateOf(world, alice, id)).toEqual(before);
    await say(world, bob, id, 'on we go');
  });

  it('[RD7] keeps the idempotency key', async () => {
    const { world, alice, id } = await aConversation();
    const first = await say(world, alice, id, SECRET, { idempotency_key: 'k' });
    await world.answer(world.hub.redact(id, first.seq));
    const repeat = await say(world, alice, id, SECRET, { idempotency_key: 'k' });
    expect(repeat).toMatchObject({ seq: first.seq, duplicate: true });
    const other = alice.call('post', {
      session_id: id,
      event_type: 'msg.text',
      event_data: { text: 'other' },
      idempotency_key: 'k',
    });
    await refused(world, other, 'duplicate');
  });

  it('[RD8] can be repeated, even concurrently; the first one stays', async () => {
    const { world, alice, id } = await aConversation();
    const olga = await operator(world);
    const { seq } = await say(world, alice, id, SECRET);
    const [one, two] = await world.answer(
      Promise.all([
        olga.call('redact', { session_id: id, seq, reason: 'first' }),
        olga.call('redact', { session_id: id, seq, reason: 'second' }),
      ]),
    );
    expect(two).toEqual({ ...one, duplicate: true });
    await world.restart();
    const again = await world.answer(world.hub.redact(id, seq, 'third'));
    expect(again).toEqual({ ...one, duplicate: true });
    expect(logOf(world.store, 'redactions')).toHaveLength(1);
  });

  it('[RD8] emits an event and an audit record without the content', async () => {
    const { world, alice, id } = await aConversation();
    const heard = recordEvents(world, 'envelopeRedacted');
    const { seq, envelope_id } = await say(world, alice, id, SECRET);
    const { redacted } = await world.answer(world.hub.redact(id, seq, 'a key'));
    const { digest } = redacted;
    expect(heard).toEqual([{ session_id: id, seq, envelope_id, by: null, reason: 'a key', digest }]);
    const audit = await world.hub.audit();
    expect(audit.filter(({ kind }) => kind === 'envelope_redacted')).toMatchObject([
      { actor: null, session_id: id, detail: { seq, envelope_id, reason: 'a key', digest } },
    ]);
    expect(JSON.stringify(audit)).not.toContain(SECRET);
  });

  it('[RD8, L2] is shown only once it is durable', async () => {
    const { world, alice, id } = await aConversation();
    const { seq } = await say(world, alice, id, SECRET);
    world.hold = true;
    const asked = world.hub.redact(id, seq);
    asked.catch(() => {});
    await world.settle();
    const shown = async (peer: Peer) => JSON.stringify(await world.answer(peer.call('read_log', { session_id: id })));
    expect(await shown(alice)).toContain(SECRET);
    await releaseHold(world);
    await asked;
    expect(await shown(alice)).not.toContain(SECRET);
  });

  it('[RD8] is judged again after a conflict; both redactions apply, now and after a restart', async () => {
    const { world, alice, id } = await aConversation();
    const first = await say(world, alice, id, `theirs ${SECRET}`);
    const second = await say(world, alice, id, `ours ${SECRET}`);
    const envelope = logOf(world.store, id)[first.seq - 1];
    if (envelope === undefined) throw new Error('nothing was said');
    const about = { by: null, at: envelope.created_at, reason: 'theirs', ...digestsOf(envelope), pin: null };
    const record = { session_id: id, seq: first.seq, envelope_id: first.envelope_id, ...about };
    await world.answer(durably(world.store, REDACTIONS_LOG, null, hubUnit(REDACTIONS_LOG, 1, REDACTED_EVENT, record)));
    const answer = await world.answer(world.hub.redact(id, second.seq, 'ours'));
    expect(answer.duplicate).toBe(undefined);
    const reasons = async (peer: Peer) => {
      const { envelopes } = await world.answer(peer.call('read_log', { session_id: id }));
      expect(JSON.stringify(envelopes)).not.toContain(SECRET);
      return envelopes.flatMap(({ redacted }) => (redacted === undefined ? [] : [redacted.reason]));
    };
    expect(await reasons(alice)).toEqual(['theirs', 'ours']);
    await world.restart();
    expect(await reasons(await world.peer('alice'))).toEqual(['theirs', 'ours']);
  });

  it('[AM11] is rejected while the hub is behind, and stages nothing', async () => {
    const { world, alice, id } = await aConversation();
    const olga = await operator(world);
    const { seq } = await say(world, alice, id, SECRET);
    world.hold = true;
    const waiting = alice.call('post', text(id, 'held up'));
    await world.settle();
    world.clock.advance(6_000);
    const staged = world.hub.health().staged_units;
    const behind = { code: 'unavailable', details: { outcome: 'refused' } };
    expect(await refusal(world, olga.call('redact', { session_id: id, seq }))).toMatchObject(behind);
    expect(await refusal(world, world.hub.redact(id, seq))).toMatchObject(behind);
    expect(world.hub.health().staged_units).toBe(staged);
    world.hold = false;
    await world.answer(waiting);
    expect(await world.answer(olga.call('redact', { session_id: id, seq }))).toMatchObject({ seq });
  });

  it('[RD4] hides the data of a task, which stays unchanged', async () => {
    const { world, alice, bob, id } = await aConversation();
    const { task } = await world.answer(alice.call('start_task', { session_id: id, title: 'look' }));
    const ref = { session_id: id, task_id: task.task_id };
    const kept = await world.answer(alice.call('checkpoint_task', { ...ref, data: { key: SECRET } }));
    const done = await world.answer(alice.call('complete_task', { ...ref, result: { key: SECRET } }));
    const before = (await world.answer(bob.call('get_task', ref))).task;
    for (const place of [kept.task.checkpoint, done.task.result])
      await world.answer(world.hub.redact(id, place?.seq ?? 0));
    const after = await world.answer(alice.call('get_task', ref));
    expect(after.task).toEqual(before);
    expect(after).toMatchObject({ checkpoint: { text: '[redacted]' }, result: { text: '[redacted]' } });
    // A repeated end is still the same end.
    const again = await world.answer(alice.call('complete_task', { ...ref, result: { key: SECRET } }));
    expect(again.duplicate).toBe(true);
  });

  it('[RD4] hides the reply of a delegate from later reads', async () => {
    const { world, alice, bob, id } = await aConversation();
    const carol = await world.peer('carol');
    void bob;
    const params = { session_id: id, target: 'carol', prompt: 'What is the key of the house?', idempotency_key: 'd' };
    const asked = alice.call('delegate', params);
    asked.catch(() => {});
    await world.settle();
    const invite = carol.notifies().find(({ envelope }) => envelope.event_type === 'session.invite');
    const child = invite?.envelope.session_id ?? '';
    const opening = logOf(world.store, id).find(({ event_type }) => event_type === 'delegation.opened');
    await refused(world, world.hub.redact(id, opening?.seq ?? 0), 'conflict');
    await world.answer(carol.call('ack_invite', { session_id: child }));
    const { seq } = await say(world, carol, child, SECRET);
    expect((await world.answer(asked)).reply?.text).toBe(SECRET);
    await world.answer(world.hub.redact(child, seq));
    expect((await world.answer(alice.call('delegate', params))).reply?.text).toBe('[redacted]');
    await world.answer(world.hub.redact(id, opening?.seq ?? 0));
    const { envelopes } = await world.answer(alice.call('read_log', { session_id: id }));
    expect(JSON.stringify(envelopes)).not.toContain('key of the house');
    expect((await world.answer(alice.call('delegate', params))).duplicate).toBe(true);
  });
});
