// A turn that is over, one that an earlier process left open, and handlers that come later.

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
  /** A handler that keeps what it was given and never ends. */
  const keeping = (signals: OwnSignal[]) => ({
    onTurn({ signal }: TurnOffer) {
      signals.push(signal);
      return new Promise(() => {});
    },
  });

  it('[CL31] is aborted when somebody else has the turn, and what the handler throws then repeats nothing', async () => {
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

  it('[CL31] is aborted with the end of the session as its reason, if that is why', async () => {
    const signals: OwnSignal[] = [];
    await stage.client('bob', keeping(signals));
    const session = await stage.done(alice.open('discussion', ['bob']));
    await stage.done(session.send('hello'));
    await stage.until(() => signals.length === 1, 'the turn of bob');
    await stage.done(session.close('enough'));
    await stage.until(() => signals[0]?.aborted === true, 'the end');
    expect(signals[0]?.reason).toMatchObject({ code: 'cannot_post' });
  });

  it('[CL31] lasts while somebody else says something that moves no turn', async () => {
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
  it('[CL32] that another process heard of and acked are offered when they are asked for, once', async () => {
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

  it('[CL32] handlers that come later get what waits; a second set is refused', async () => {
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

  it('[CL32] the time of the first welcome stays, also after the link was lost', async () => {
    const before = alice.welcomedAt;
    await stage.world.pass(2_000);
    const bob = await stage.client('bob');
    expect(bob.welcomedAt > before).toBe(true);
    await stage.world.restart();
    await stage.world.pass(1_000);
    expect(alice.welcomedAt).toBe(before);
  });
});
