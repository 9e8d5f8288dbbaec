// A turn that moved on, one left open by an earlier process, and handlers added later.

import type { AgentClient, OwnSignal, TurnOffer } from 'parley-hub/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { Stage } from '../../participants/stage.ts';

let stage: Stage;
let alice: AgentClient;
beforeEach(async () => {
  stage = await Stage.start();
  alice = await stage.client('alice');
});

describe('the signal of a turn', () => {
  const keeping = (signals: OwnSignal[]) => ({
    onTurn({ signal }: TurnOffer) {
      signals.push(signal);
      return new Promise(() => {});
    },
  });

  it('[CL31] is aborted when the turn moves on; a later throw repeats nothing', async () => {
    const signals: OwnSignal[] = [];
    let fail: (error: Error) => void = () => {};
    const bob = await stage.client('bob', {
      onTurn: ({ signal }) => {
        signals.push(signal);
        return new Promise((_, reject) => {
          fail = reject;
        });
      },
    });
    const session = await stage.done(alice.open('discussion', ['bob']));
    await stage.done(session.send('hello'));
    await stage.until(() => signals.length === 1, 'the turn of bob');
    expect(signals[0]?.aborted).toBe(false);
    await stage.done(bob.session(session.id).send('by hand'));
    expect(signals[0]?.aborted).toBe(true);
    expect(signals[0]?.reason).toMatchObject({ code: 'turn_over' });
    fail(new Error('too late'));
    await stage.world.pass(20_000);
    expect(signals).toHaveLength(1);
    await stage.done(session.send('again'));
    await stage.until(() => signals.length === 2, 'the next turn');
    expect(signals[1]?.aborted).toBe(false);
  });

  it('[CL31] is aborted with the end of the session as its reason', async () => {
    const signals: OwnSignal[] = [];
    await stage.client('bob', keeping(signals));
    const session = await stage.done(alice.open('discussion', ['bob']));
    await stage.done(session.send('hello'));
    await stage.until(() => signals.length === 1, 'the turn of bob');
    await stage.done(session.close('enough'));
    await stage.until(() => signals[0]?.aborted === true, 'the end');
    expect(signals[0]?.reason).toMatchObject({ code: 'cannot_post' });
  });

  it('[CL31] outlives messages that move no turn', async () => {
    const signals: OwnSignal[] = [];
    await stage.client('bob', keeping(signals));
    const session = await stage.done(alice.open('discussion', ['bob']));
    await stage.done(session.send('hello'));
    await stage.until(() => signals.length === 1, 'the turn of bob');
    await stage.done(session.send({ event_type: 'note', event_data: { text: 'by the way' } }));
    await stage.settle();
    expect(signals[0]?.aborted).toBe(false);
    expect(signals).toHaveLength(1);
  });
});

describe('open turns', () => {
  it('[CL32] offers turns acked by another process, on request and once', async () => {
    const first = await stage.client('bob', { onTurn: () => {} });
    const session = await stage.done(alice.open('discussion', ['bob']));
    await stage.done(session.send('hello'));
    await stage.settle();
    first.close();
    const offered: (string | null)[] = [];
    const second = await stage.client('bob', {
      onTurn: ({ message }) => void offered.push(message?.text ?? null),
    });
    await stage.settle();
    expect(offered).toEqual([]);
    await stage.done(second.offerOpenTurns());
    await stage.done(second.offerOpenTurns());
    await stage.settle();
    expect(offered).toEqual([null]);
  });

  it('[CL32] sends waiting messages to handlers added later; rejects a second set', async () => {
    const bob = await stage.done(stage.way({ name: 'bob' }));
    const session = await stage.done(alice.open('consulting', ['bob']));
    await stage.done(session.send('why?'));
    await stage.settle();
    const heard: string[] = [];
    bob.handle({
      onMessage: ({ text }) => void heard.push(text),
      onTurn: ({ message }) => message?.reply('because'),
    });
    expect(await stage.done(session.ended())).toMatchObject({ reason: 'consulting_complete' });
    expect(heard).toEqual(['why?']);
    expect(() => bob.handle({ onTurn() {} })).toThrow(/bob already has handlers/);
    expect(() => alice.handle({ onTurn() {} })).toThrow(/alice already has handlers/);
    expect(() => bob.handle({ onturn() {} } as never)).toThrow(/onturn: expected a known option/);
  });

  it('[CL32] keeps the time of the first welcome across lost links', async () => {
    const before = alice.welcomedAt;
    await stage.world.pass(2_000);
    const bob = await stage.client('bob');
    expect(bob.welcomedAt > before).toBe(true);
    await stage.world.restart();
    await stage.world.pass(1_000);
    expect(alice.welcomedAt).toBe(before);
  });
});
