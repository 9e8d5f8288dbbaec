/** Every refusal is a result that names the next step. */

import { describe, expect, test } from 'vitest';
import { joining, WAYS } from '../transports.ts';

const ways = joining();
const NOBODY = '00000000000000000000000000000000';

describe.each(WAYS)('over $over, revision $revision', (way) => {
  const here = ways.shared(way);

  test('[MC9] names the turn holder, the time and wait_turn to an agent that posts out of turn', async () => {
    const { agent, session } = await waiting();
    for (const [name, args] of [
      ['say', { text: 'me first', turn: 0 }],
      ['task_progress', { note: 'at it' }],
    ] as const) {
      const refusal = await agent.refusal(name, { session, ...args });
      expect(refusal).toMatch(/^not your turn: bob has had the turn for \d+ s; call wait_turn$/);
    }
  });

  test('[MC9] tells a hidden participant how to return', async () => {
    const { agent, session, other } = await waiting();
    await here.one.hub.hideParticipant(session, 'reviewer');
    expect(await agent.refusal('say', { session, text: 'hello', turn: 0 })).toMatch(/^not your turn: .*accept_invite/);
    expect(await agent.waits({ session })).toContain('accept_invite');
    await agent.value('accept_invite', { session });
    await other.send('Welcome back.');
    expect(await agent.turn({ session })).toMatchObject({ status: 'your_turn' });
  });

  test('[MC9] refuses what a session type does not support, with an alternative', async () => {
    const { agent, session, other } = await waiting();
    await other.send('Your turn.');
    const { turn } = await agent.turn({ session });
    expect(await agent.refusal('handoff', { session, to: 'bob', turn })).toMatch(/^protocol_error: .*wait_turn/s);
    expect(await agent.refusal('finish', { session, turn })).toMatch(/^protocol_error: .*wait_turn/s);
  });

  test('[MC9] refuses an unknown argument by name, even beside all required ones', async () => {
    const { agent, session } = await waiting();
    expect(await agent.refusal('wait_turn', { session, sesion: session })).toBe(
      'wait_turn: nothing was done. Unknown: "sesion". Valid arguments: session, cursor. Correct that and call wait_turn again.',
    );
    expect(await agent.refusal('leave', { session, reason: 'bye' })).toContain('Unknown: "reason"');
  });

  test('[MC9] refuses posts to an ended session, which stays readable', async () => {
    const { agent, session, other } = await waiting();
    await other.send('Your turn.');
    await other.close('over');
    expect(await agent.refusal('say', { session, text: 'late', turn: 0 })).toMatch(
      /^session_closed: .*\(over\).*session_read/s,
    );
    expect(await agent.refusal('task_progress', { session, title: 'late' })).toMatch(/^session_closed/);
    expect(await agent.refusal('delegate', { session, to: 'bob', question: 'late?' })).toMatch(/^session_closed/);
    expect((await agent.value('session_read', { session })).messages).toHaveLength(1);
  });

  test('[MC9] answers not_found in every tool for missing and foreign sessions', async () => {
    const { one, agent } = here;
    const bob = await one.hub.agent('bob');
    await one.hub.agent('carol');
    const secret = await bob.open('conversation', { participants: ['carol'], wait: 'created' });
    const calls: readonly (readonly [string, Record<string, unknown>])[] = [
      ['session_read', {}],
      ['wait_turn', {}],
      ['say', { text: 'hello', turn: 3 }],
      ['handoff', { to: 'bob', turn: 0 }],
      ['finish', { turn: 0 }],
      ['delegate', { to: 'bob', question: 'who?' }],
      ['accept_invite', {}],
      ['decline_invite', {}],
      ['leave', {}],
      ['close', {}],
      ['task_progress', { note: 'x' }],
      ['task_progress', { title: 'x' }],
      ['task_progress', { task: NOBODY }],
    ];
    for (const session of [NOBODY, secret.id]) {
      for (const [name, args] of calls) {
        const refusal = await agent.refusal(name, { session, ...args });
        expect(refusal, name).toMatch(/^not_found: .*Call sessions/s);
      }
      await expect(agent.client.readResource({ uri: `parley://session/${session}` })).rejects.toThrow(/not_found/);
    }
  });

  test('[MC9] refuses unknown agents and session types', async () => {
    const { agent, session, other } = await waiting();
    await other.send('Your turn.');
    const open = (args: object) =>
      agent.refusal('session_open', { type: 'discussion', participants: ['bob'], ...args });
    expect(await open({ participants: ['nobody'] })).toMatch(/^(not_found|invalid_create): .*nobody.*peers/s);
    expect(await open({ participants: ['capability:flying'] })).toMatch(/^(not_found|invalid_create): .*flying/s);
    expect(await open({ type: 'duel' })).toMatch(/^(not_found|invalid_create): .*duel/s);
    expect(await open({ knobs: { ordering: 'loudest' } })).toMatch(/^invalid_create: .*ordering/s);
    expect(await agent.refusal('delegate', { session, to: 'nobody', question: 'who?' })).toMatch(/nobody/);
    expect(await agent.refusal('delegate', { session, to: 'reviewer', question: 'me?' })).toMatch(/^invalid_create/);
    expect(await agent.refusal('task_progress', { session, task: NOBODY, state: 'done' })).toMatch(/^not_found/);
  });

  test('[MC9] refuses wrong, missing and overlong arguments and foreign cursors by name', async () => {
    const { agent, session } = await waiting();
    const wrong = async (name: string, args: Record<string, unknown>): Promise<string> => {
      const { refused } = await agent.call(name, args).catch((error: Error) => ({ refused: error.message }));
      return refused ?? '';
    };
    expect(await wrong('say', { session })).toMatch(/text/);
    expect(await wrong('say', { session, text: '' })).toMatch(/text/);
    expect(await wrong('say', { session, text: 'x', turn: -1 })).toMatch(/turn/);
    expect(await wrong('say', { session: 7, text: 'x' })).toMatch(/session/);
    expect(await wrong('task_progress', { session, title: 't', progress: 2 })).toMatch(/progress/);
    expect(await wrong('say', { session, message: 'x', turn: 1 })).toBe(
      'say: nothing was done. text: expected a text, got nothing. The message: plain text or Markdown. ' +
        'Unknown: "message". Valid arguments: session, text, turn. Correct that and call say again.',
    );
    expect(await wrong('say', { session, text: 'x', turn: '7' })).toMatch(
      /turn: expected a number, got "7"\. .*from wait_turn.*call say again/,
    );
    expect(await wrong('task_progress', { session, title: 't', state: 'over' })).toMatch(
      /state: expected one of working, done, failed, got "over"/,
    );
    expect(await wrong('session_open', { type: 'discussion', participants: [] })).toMatch(
      /participants: expected a list of at least 1 entries, got \[\]\. Names of the others/,
    );
    expect(await wrong('say', { session, text: 'x'.repeat(200_001), turn: 1 })).toMatch(
      /text: expected a text of at most 200000 characters, got 200001 characters/,
    );
    expect(await wrong('no_such_tool', {})).toMatch(/no_such_tool/);
    for (const cursor of ['x', '1:2:3', '-1', '99999999999999999999']) {
      expect(await agent.refusal('session_read', { session, cursor })).toMatch(/^cursor: .*Omit it/s);
    }
    expect(await agent.refusal('wait_turn', { cursor: '12' })).toMatch(/^cursor: .*omit the cursor/s);
  });

  /** A discussion in which bob holds the turn. */
  async function waiting() {
    const { one, agent } = here;
    const other = await agent.joins(await one.hub.agent('bob', { onMessage: () => {} }));
    return { agent, session: other.id, other };
  }
});
