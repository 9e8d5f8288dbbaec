// Temporary rejections are retried for a limited time; a failure is reported for the turn that failed.

import { type WireCode, WireError } from 'parley-hub/core';
import type { AgentTurn } from 'parley-hub/participants';
import { SimClock } from 'parley-hub/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../../src/client/session/session.ts';
import { postAnswer, reportFailure } from '../../../src/participants/joining/post-answer.ts';

let clock: SimClock;
let stop: AbortController;
/** Times of the calls to the session, in milliseconds. */
let asked: number[];
beforeEach(() => {
  clock = new SimClock();
  stop = new AbortController();
  asked = [];
});

const refusal = (code: WireCode, details?: object) => new WireError(code, `refused: ${code}`, { ...details });

/** Rejects with each of these in turn, then succeeds. */
function refusing(refusals: readonly Error[]): () => Promise<unknown> {
  return async () => {
    const refused = refusals[asked.length];
    asked.push(clock.monotonic());
    if (refused !== undefined) throw refused;
    return { seq: 7 };
  };
}

/** Advances the clock until the promise settles. */
async function settled<T>(promise: Promise<T>, stepMs: number): Promise<T> {
  let isSettled = false;
  const done = () => {
    isSettled = true;
  };
  promise.then(done, done);
  for (let steps = 0; steps < 10_000; steps += 1) {
    await new Promise((go) => setImmediate(go));
    if (isSettled) return promise;
    clock.advance(stepMs);
  }
  throw new Error('it never comes');
}

const post = (refusals: readonly Error[]) => {
  const session = { send: refusing(refusals) } as unknown as Session;
  return postAnswer(session, { event_type: 'msg.text', event_data: { text: 'a' } }, { key: 'k' }, clock, stop.signal);
};

describe('an answer', () => {
  it.each(['inbox_full', 'unavailable', 'timeout'] as const)(
    '[PA2] is resent after growing pauses of up to five seconds: %s',
    async (code) => {
      const posted = await settled(post(Array.from({ length: 8 }, () => refusal(code))), 100);
      expect(posted).toEqual({ kind: 'accepted', answer: { seq: 7 } });
      expect(asked).toEqual([0, 200, 600, 1_400, 3_000, 6_200, 11_200, 16_200, 21_200]);
    },
  );

  it('[PA2] waits as long as the hub asks after a rate limit, otherwise one second', async () => {
    const told = [
      refusal('rate_limited', { retry_after_ms: 70 }),
      refusal('rate_limited'),
      refusal('rate_limited', { retry_after_ms: 0 }),
    ];
    expect(await settled(post(told), 1)).toMatchObject({ kind: 'accepted' });
    expect(asked).toEqual([0, 70, 1_070, 1_071]);
  });

  it('[PA3] fails with the reason after too many rejections', async () => {
    const refusals = Array.from({ length: 50 }, () => refusal('inbox_full'));
    await expect(settled(post(refusals), 1_000)).rejects.toThrow('refused: inbox_full');
    expect(asked).toHaveLength(20);
  });

  it.each(['too_large', 'forbidden', 'protocol_error'] as const)(
    '[PA3] is not resent after a permanent rejection: %s',
    async (code) => {
      await expect(settled(post([refusal(code)]), 100)).rejects.toThrow(`refused: ${code}`);
      expect(asked).toEqual([0]);
    },
  );

  it.each([
    ['duplicate', 'this turn was already answered'],
    ['not_your_turn', 'refused: not_your_turn'],
    ['session_closed', 'refused: session_closed'],
  ] as const)('[PA4, PA12] is dropped without a failure if it is too late: %s', async (code, why) => {
    expect(await settled(post([refusal('unavailable'), refusal(code)]), 100)).toEqual({ kind: 'late', why });
  });

  it('[PA4] is not resent after the turn was cancelled', async () => {
    const posting = post([refusal('unavailable'), refusal('unavailable')]);
    posting.catch(() => {});
    await new Promise((go) => setImmediate(go));
    stop.abort();
    await expect(posting).rejects.toThrow('refused: unavailable');
    clock.advance(60_000);
    expect(asked).toEqual([0]);
  });
});

describe('a failure', () => {
  const failed: string[] = [];
  const report = (refusals: readonly Error[], since: number | null, now = since) => {
    failed.splice(0);
    const told = refusing(refusals);
    const fail = async (reason: string) => {
      await told();
      failed.push(reason);
    };
    const session = {
      info: async () => ({ turn: now === null ? null : { agent_id: 'bob', since_seq: now } }),
      failTurn: fail,
      startTask: async (_title: string, { key }: { key: string }) => ({ fail: (why: string) => fail(`${key} ${why}`) }),
    } as unknown as Session;
    const turn: AgentTurn = { session, type: 'x', seq: 1, from: null, text: '', idempotencyKey: 'k', resumed: false };
    return reportFailure(turn, since, new Error('no model'), clock, stop.signal);
  };

  it('[PA3] is reported only for the turn that failed', async () => {
    await report([], 3);
    expect(failed).toEqual(['no model']);
    await report([], 3, 9);
    expect(failed).toEqual([]);
    await report([], 3, null);
    expect(failed).toEqual([]);
  });

  it('[PA3] is reported as a task with the key of the answer where nobody has the turn', async () => {
    await report([], null);
    expect(failed).toEqual(['k:failed no model']);
  });

  it('[PA3] is reported again after a lost link, at most five times', async () => {
    const lost = Array.from({ length: 9 }, () => refusal('unavailable'));
    await settled(report(lost.slice(0, 4), 3), 100);
    expect(failed).toEqual(['no model']);
    expect(asked).toEqual([0, 500, 1_500, 3_000, 5_000]);
    asked.splice(0);
    await expect(settled(report(lost, 3), 100)).rejects.toThrow('refused: unavailable');
    expect(asked).toHaveLength(5);
  });

  it('[PA3] is not reported again after a rejection', async () => {
    await expect(settled(report([refusal('forbidden')], 3), 100)).rejects.toThrow('refused: forbidden');
    expect(asked).toHaveLength(1);
  });
});
