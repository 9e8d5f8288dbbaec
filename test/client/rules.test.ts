// The calls on rules and of operators: what goes over the wire for them, and what is refused before.

import { describe, expect, it } from 'vitest';
import { S1 } from './scripted-hub.ts';
import { agent } from './world.ts';

describe('on the wire', () => {
  it('[RU1, OPR2, OPR3] rules, and what operators and who is hidden ask for', async () => {
    const { hub, client } = await agent();
    const rule = { access: { inbound_from: ['b*'] } };
    const session = client.session(S1);
    const calls = [
      client.rule(),
      client.rule('bob'),
      client.setRule(rule),
      client.setRule(rule, { agent: 'bob', expectedVersion: 2 }),
      session.comeBack(),
      session.hide('bob'),
      session.bringBack('bob', { deadlineMs: 50 }),
      session.remove('bob', { reason: 'noise', deadlineMs: 50 }),
    ];
    const heard = (await hub.heard())
      .map((text) => JSON.parse(text))
      .map((frame) => [frame.op, frame.params, frame.deadline_ms]);
    expect(heard).toEqual([
      ['get_rule', {}, undefined],
      ['get_rule', { agent: 'bob' }, undefined],
      ['set_rule', { rule }, undefined],
      ['set_rule', { rule, agent: 'bob', expected_version: 2 }, undefined],
      ['return_to_session', { session_id: S1 }, undefined],
      ['hide_participant', { session_id: S1, participant: 'bob' }, undefined],
      ['return_to_session', { session_id: S1, participant: 'bob' }, 50],
      ['remove_participant', { session_id: S1, participant: 'bob', reason: 'noise' }, 50],
    ]);
    client.close();
    await Promise.allSettled(calls);
  });

  it('[CL4] what is of the wrong kind is refused by name, and nothing is sent', async () => {
    const { client } = await agent();
    const wrong = (value: unknown) => value as never;
    await expect(client.setRule(wrong(null))).rejects.toThrow('rule: expected an object');
    await expect(client.setRule({}, wrong({ who: 'bob' }))).rejects.toThrow('who');
    await expect(client.rule(wrong(7))).rejects.toThrow('agent: expected a name');
    await expect(client.session(S1).hide('bob', wrong({ why: 'x' }))).rejects.toThrow('why');
    await expect(client.session(S1).bringBack('bob', wrong({ why: 'x' }))).rejects.toThrow('why');
    await expect(client.session(S1).bringBack(wrong(undefined))).rejects.toThrow(
      'participant: expected a name or an id, got nothing',
    );
  });
});
