import { OPERATIONS, type OperationName } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { World } from '../../../src/testing/doubles/world.ts';
import { goodParams } from '../every-operation.ts';
import { aConversation, ack, foreignUnit, invited, logOf, say } from '../scene.ts';

const nowhere = 'e'.repeat(32);
const operations = Object.keys(OPERATIONS) as OperationName[];
/** Operations with a session parameter of any name. */
const withSession = operations.filter(
  (op) => op !== 'describe_sessions' && JSON.stringify(goodParams(nowhere)[op]).includes(nowhere),
);

/** Sessions in every state, without carol. */
async function sessions(): Promise<{ world: World; ids: Record<string, string> }> {
  const { world, alice, bob, id: active } = await aConversation();
  const pending = await invited(world, alice, [bob]);
  const ended = await invited(world, alice, [bob]);
  await world.answer(bob.call('reject_invite', { session_id: ended }));
  const removed = (agent_id: string) => ({ event_type: 'session.participant.removed', event_data: { agent_id } });
  world.store.foreignAppend(active, foreignUnit(world, active, removed('somebody')));
  await say(world, alice, active, 'hello', { idempotency_key: 'k' });
  return { world, ids: { active, pending, ended } };
}

describe('for a non-participant', () => {
  it('[AM2] the table has these operations with a session', () => {
    expect(withSession).toEqual([
      ...['create_session', 'delegate', 'ack_invite', 'reject_invite', 'add_participant', 'leave_session'],
      ...['return_to_session', 'hide_participant', 'remove_participant', 'redact', 'get_session', 'close_session'],
      ...['post', 'can_send', 'report_progress', 'report_turn_failure', 'start_task', 'progress_task'],
      ...['checkpoint_task', 'resume_task', 'complete_task', 'fail_task', 'cancel_task', 'get_task'],
      ...['list_tasks', 'read_log', 'read_view', 'subscribe', 'unsubscribe', 'read_state'],
    ]);
  });

  it.each(withSession)('[AM2, L7] %s answers as for a session that does not exist', async (op) => {
    const { world, ids } = await sessions();
    const carol = await world.peer('carol');
    const ask = async (session_id: string) => {
      const frame = await world.answer(carol.ask(op, goodParams(session_id)[op]));
      const { request_id: _, ...rest } = frame;
      return JSON.parse(JSON.stringify(rest).replaceAll(session_id, nowhere));
    };
    const expected = await ask(nowhere);
    expect(expected).toEqual({
      kind: 'response',
      ok: false,
      error: { code: 'not_found', message: `no session ${nowhere}` },
    });
    for (const [state, id] of Object.entries(ids)) {
      const before = logOf(world.store, id);
      for (const evict of [false, true]) {
        if (evict) world.hub.evictIdle();
        expect([state, await ask(id)]).toEqual([state, expected]);
      }
      expect(logOf(world.store, id)).toEqual(before);
    }
    expect(carol.notifies()).toEqual([]);
  });

  it.each(withSession)('[AM2] %s with wrong parameters answers the same for both', async (op) => {
    const { world, ids } = await sessions();
    const carol = await world.peer('carol');
    for (const wrong of [
      { limit: 0 },
      { reason: 7 },
      { wait: 'never' },
      { event_type: 'session.closed' },
      { event_type: '!' },
      { event_data: { text: 'x'.repeat(300_000) } },
      { expected_seq: 1 },
      { audience: ['x'] },
      { type: 'unknown' },
      { participants: ['nobody'] },
      { view: { name: 'unknown', params: { x: 1 } } },
      { at_seq: 999 },
    ]) {
      const ask = async (session_id: string) => {
        const frame = await world.answer(carol.ask(op, { ...goodParams(session_id)[op], ...wrong }));
        return JSON.stringify({ ...frame, request_id: '' }).replaceAll(session_id, nowhere);
      };
      expect(await ask(ids.active ?? '')).toBe(await ask(nowhere));
    }
  });

  it('[AM2, L7] lists and turns contain only own sessions', async () => {
    const { world, ids } = await sessions();
    const carol = await world.peer('carol');
    expect(await world.answer(carol.call('list_sessions', {}))).toEqual({ sessions: [], next: null });
    expect(await world.answer(carol.call('pending_turns', {}))).toEqual({ turns: [], next: null });
    const described = await world.answer(
      carol.call('describe_sessions', { session_ids: [...Object.values(ids), nowhere] }),
    );
    expect(described).toEqual({ sessions: [] });
  });

  it('[AM2, DL7] receipts reveal nothing about the session', async () => {
    const { world, ids } = await sessions();
    const carol = await world.peer('carol');
    const answerTo = async (id: string) => {
      await ack(world, carol, id, 4);
      return JSON.stringify(carol.frames.at(-1)).replaceAll(id, nowhere);
    };
    expect(await answerTo(ids.active ?? '')).toBe(await answerTo(nowhere));
  });
});
