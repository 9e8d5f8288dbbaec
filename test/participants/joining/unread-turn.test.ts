// Turns the hub cannot report, or denies.

import { type Logger, type WireCode, WireError } from 'parley-hub/core';
import type { AgentTurn } from 'parley-hub/participants';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session } from '../../../src/client/session/session.ts';
import { Puppet, Stage } from '../stage.ts';

let stage: Stage;
let bob: Puppet;
let warnings: string[];
let log: Logger;
beforeEach(async () => {
  stage = await Stage.start();
  bob = new Puppet();
  warnings = [];
  // The client uses the log too, for rejections before a name is registered.
  const warn = (text: string) => void (text.startsWith('reading a turn') && warnings.push(text));
  log = { info() {}, warn, error() {} };
});
afterEach(() => void vi.restoreAllMocks());

async function asked(type = 'consulting'): Promise<Session> {
  const alice = await stage.client('alice');
  const session = await stage.done(alice.open(type, ['bob']));
  await stage.done(session.send('why?'));
  return session as Session;
}

/** Rejects this call of sessions, `times` times. */
function refuse(what: 'canSend' | 'view', code: WireCode, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  const real = Session.prototype[what] as (...args: unknown[]) => Promise<never>;
  vi.spyOn(Session.prototype, what).mockImplementation(async function (this: Session, ...args: unknown[]) {
    left -= 1;
    if (left >= 0) throw new WireError(code, 'the disk is slow');
    return real.apply(this, args);
  });
}

async function passing(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    stage.world.clock.advance(1_000);
    await stage.settle();
  }
}

const failures = () => stage.told.filter((line) => line.includes('failed'));

async function failuresIn(session: Session): Promise<unknown[]> {
  const bobs = await stage.client('bob', { register: false });
  const envelopes = await stage.log(bobs.session(session.id));
  return envelopes
    .filter(({ event_type }) => event_type === 'task.failed')
    .map(({ task_id, event_data }) => `${task_id === null ? 'turn' : 'task'}: ${event_data.reason}`);
}

describe('a turn that cannot be read', () => {
  it.each([
    ['canSend', 'unavailable'],
    ['canSend', 'timeout'],
    ['canSend', 'internal'],
    ['canSend', 'rate_limited'],
    ['view', 'unavailable'],
  ] as const)('[PA3] is retried with pauses and taken later (%s: %s)', async (what, code) => {
    await stage.join('bob', bob.agent, { log });
    refuse(what, code, 3);
    const session = await asked();
    await stage.settle();
    expect(bob.calls).toHaveLength(0);
    expect(warnings).toEqual(['reading a turn failed; retrying']);
    await passing(3);
    expect(bob.calls).toHaveLength(1);
    bob.call().answer('because');
    expect(await stage.done(session.ended())).toMatchObject({ reason: 'consulting_complete' });
    expect(failures()).toEqual([]);
    expect(warnings).toHaveLength(3);
  });

  it('[PA3] is finally reported as failed, and the next turn is taken', async () => {
    await stage.join('bob', bob.agent, { log, maxParallelTurns: 1 });
    refuse('canSend', 'internal');
    const session = await asked();
    await passing(30);
    expect(failures()).toEqual(['bob failed: the turn could not be read: the disk is slow']);
    expect(warnings).toHaveLength(7);
    vi.restoreAllMocks();
    await stage.ask('and why?', 'consulting', 'anna');
    await stage.until(() => bob.calls.length === 1, 'the next turn');
    expect(await failuresIn(session)).toEqual(['turn: the turn could not be read: the disk is slow']);
  });

  it('[PA3] is a failed task where nobody has the turn', async () => {
    await stage.join('bob', bob.agent, { log });
    refuse('canSend', 'forbidden');
    const session = await asked('conversation');
    await stage.until(() => failures().length > 0, 'the failure');
    vi.restoreAllMocks();
    expect(await failuresIn(session)).toEqual(['task: the turn could not be read: the disk is slow']);
  });

  it('[PA3] is reported immediately for a permanent reason', async () => {
    await stage.join('bob', bob.agent, { log });
    refuse('canSend', 'forbidden');
    await asked();
    await stage.until(() => failures().length > 0, 'the failure');
    expect(warnings).toEqual([]);
  });

  it('[PA3] is no failure if the session no longer exists', async () => {
    await stage.join('bob', bob.agent, { log });
    refuse('canSend', 'not_found');
    await asked();
    await passing(2);
    expect([...failures(), ...warnings]).toEqual([]);
  });

  it('[PA4] is not retried after the session has ended', async () => {
    await stage.join('bob', bob.agent, { log });
    refuse('canSend', 'unavailable');
    const session = await asked();
    await stage.settle();
    await stage.done(session.close('enough'));
    await passing(30);
    expect(warnings).toHaveLength(1);
    expect(failures()).toEqual([]);
  });
});

describe('if the hub says', () => {
  const can = (code: WireCode): void => {
    vi.spyOn(Session.prototype, 'canSend').mockResolvedValue({ can: false, code, why: 'so it is', turn: null });
  };

  it('[PA3] that an answer would be rejected, the turn fails with the reason, without calling the agent', async () => {
    const failed: (readonly [string, AgentTurn])[] = [];
    const handlers = { onError: ({ message }: Error, turn: AgentTurn) => void failed.push([message, turn]) };
    await stage.join('bob', bob.agent, { log, handlers });
    can('forbidden');
    const session = await asked();
    await stage.until(() => failed.length > 0, 'the failure');
    expect(failed[0]?.[0]).toBe('an answer would be rejected: so it is');
    expect(failed[0]?.[1]).toMatchObject({ type: 'consulting', from: 'alice', text: 'why?' });
    expect(bob.calls).toHaveLength(0);
    vi.restoreAllMocks();
    expect(await failuresIn(session)).toEqual(['turn: an answer would be rejected: so it is']);
  });

  it.each(['rate_limited', 'inbox_full', 'unavailable', 'timeout', 'protocol_error'] as const)(
    '[PA2] that an answer would be rejected temporarily, the turn is taken: %s',
    async (code) => {
      await stage.join('bob', bob.agent, { log });
      can(code);
      await asked();
      await stage.until(() => bob.calls.length === 1, 'bob is called');
    },
  );

  it.each(['not_your_turn', 'session_closed', 'not_found'] as const)(
    '[PA4] that there is no turn, nothing happens: %s',
    async (code) => {
      await stage.join('bob', bob.agent, { log });
      can(code);
      await asked();
      await stage.settle();
      expect(bob.calls).toHaveLength(0);
      expect([...failures(), ...warnings]).toEqual([]);
    },
  );

  it('[PA4] that it is too early and another participant has the turn, nothing happens', async () => {
    await stage.join('bob', bob.agent, { log });
    can('rate_limited');
    const real = Session.prototype.info;
    vi.spyOn(Session.prototype, 'info').mockImplementation(async function (this: Session) {
      const info = await real.apply(this);
      return { ...info, turn: info.turn === null ? null : { ...info.turn, agent_id: 'agent:carol' } };
    });
    await asked();
    await stage.settle();
    expect(bob.calls).toHaveLength(0);
    expect(failures()).toEqual([]);
  });
});
