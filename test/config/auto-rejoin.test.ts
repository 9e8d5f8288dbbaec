// Rejoining a lost participant while the hub keeps running.

import { SimClock } from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import type { ConnectionEnd } from '../../src/client/index.ts';
import { AutoRejoin, type Rejoinable } from '../../src/config/auto-rejoin.ts';

/** A participant whose end the test controls. */
class Puppet implements Rejoinable {
  readonly closed: Promise<ConnectionEnd>;
  end: (end: ConnectionEnd) => void = () => {};
  isClosed = false;

  constructor() {
    this.closed = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.end({ by: 'caller' });
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function scene(...refusals: readonly (string | null)[]) {
  const clock = new SimClock();
  const made: Puppet[] = [];
  const told: string[] = [];
  const kept = await AutoRejoin.begin({
    clock,
    async join() {
      const refusal =
        made.length === 0 ? null : (refusals[told.filter((one) => one.startsWith('lost')).length - 1] ?? null);
      if (refusal !== null) throw new Error(refusal);
      const puppet = new Puppet();
      made.push(puppet);
      return puppet;
    },
    joined: () => told.push('joined'),
    lost: (reason, ms) => told.push(`lost: ${reason}, ${ms}`),
  });
  const lose = async (end: ConnectionEnd): Promise<void> => {
    made.at(-1)?.end(end);
    await settled();
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settled();
  };
  return { kept, made, told, lose, pass };
}

const slow: ConnectionEnd = { by: 'hub', reason: 'slow_consumer', final: false, retry_after_ms: null };

describe('a participant of a config file', () => {
  it('[CF7] rejoins after a pause when it is lost; the next loss starts with the first pause again', async () => {
    const { told, lose, pass, made } = await scene();
    await lose(slow);
    expect(told).toEqual(['joined', 'lost: slow_consumer, 1000']);
    await pass(999);
    expect(made).toHaveLength(1);
    await pass(1);
    expect(told.at(-1)).toBe('joined');
    await lose({ by: 'link' });
    await pass(1_000);
    expect(told.slice(2)).toEqual(['joined', 'lost: the connection was lost, 1000', 'joined']);
  });

  it('[CF7] retries after pauses that grow to one minute', async () => {
    const { told, lose, pass } = await scene('no', 'no', 'no', 'no', 'no', 'no', null);
    await lose(slow);
    for (const ms of [1_000, 2_000, 5_000, 15_000, 60_000, 60_000, 60_000]) await pass(ms);
    expect(told).toEqual([
      'joined',
      'lost: slow_consumer, 1000',
      'lost: no, 2000',
      'lost: no, 5000',
      'lost: no, 15000',
      'lost: no, 60000',
      'lost: no, 60000',
      'lost: no, 60000',
      'joined',
    ]);
  });

  it.each(['replaced', 'unregistered', 'unauthorized'] as const)(
    '[CF7] does not rejoin after a deliberate end (%s)',
    async (reason) => {
      const { told, lose, pass, made } = await scene();
      await lose({ by: 'hub', reason, final: true, retry_after_ms: null });
      await pass(3_600_000);
      expect({ told, made: made.length }).toEqual({ told: ['joined', `lost: ${reason}, null`], made: 1 });
    },
  );

  it('[CF8] stays closed, even during a pause; a hub shutdown is not a loss', async () => {
    const { kept, told, lose, pass, made } = await scene();
    await lose({ by: 'hub', reason: 'shutdown', final: false, retry_after_ms: null });
    expect(told).toEqual(['joined']);
    const second = await scene();
    await second.lose(slow);
    await second.kept.close();
    await second.kept.close();
    await second.pass(60_000);
    expect(second.made).toHaveLength(1);
    await kept.close();
    await pass(60_000);
    expect(made.map(({ isClosed }) => isClosed)).toEqual([true]);
  });

  it('[CF6] rejects when the first join fails', async () => {
    const refused = AutoRejoin.begin<Puppet>({
      clock: new SimClock(),
      join: () => Promise.reject(new Error('not here')),
      joined: () => {},
      lost: () => {},
    });
    await expect(refused).rejects.toThrow('not here');
  });
});
