// The small parts of taking a turn, in isolation.

import type { Envelope } from 'parley-hub/core';
import { SimClock } from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import type { AgentClient, SessionEnd } from '../../../src/client/index.ts';
import type { Session } from '../../../src/client/session/session.ts';
import type { SessionMetadata } from '../../../src/core/records/session/session.ts';
import { createManualAdapter } from '../../../src/participants/agent/manual.ts';
import { findTurn } from '../../../src/participants/joining/find-turn.ts';
import { readThread } from '../../../src/participants/joining/thread-context.ts';
import { Heartbeat, LiveText } from '../../../src/participants/joining/turn-progress.ts';
import { SessionMemories, Slots } from '../../../src/participants/joining/turns.ts';

const quiet = () => new Promise((go) => setImmediate(go));

describe('[PA8] slots', () => {
  it('are given in order, skipping callers that no longer wait', async () => {
    const slots = new Slots(1);
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    expect(await slots.take(first.signal)).toBe(true);
    const [gone, next] = [slots.take(second.signal), slots.take(third.signal)];
    second.abort();
    expect(await gone).toBe(false);
    slots.giveBack();
    expect(await next).toBe(true);
    slots.giveBack();
    // Exactly one slot is left.
    expect(await slots.take(first.signal)).toBe(true);
    let isTaken = false;
    void slots.take(first.signal).then((taken) => {
      isTaken = taken;
    });
    await quiet();
    expect(isTaken).toBe(false);
  });

  it('keep a slot given before an abort, and give none after it', async () => {
    const slots = new Slots(1);
    const [holder, waiting] = [new AbortController(), new AbortController()];
    await slots.take(holder.signal);
    const given = slots.take(waiting.signal);
    slots.giveBack();
    waiting.abort();
    expect(await given).toBe(true);
    expect(await slots.take(waiting.signal)).toBe(false);
  });
});

describe('[PA6] progress', () => {
  function heart(expectations: readonly object[] = []) {
    const clock = new SimClock();
    const beats: (readonly [number, string | undefined])[] = [];
    const session = {
      async progress(note?: string) {
        beats.push([clock.monotonic(), note]);
      },
    } as unknown as Session;
    const metadata = { manifest: { expectations } } as unknown as SessionMetadata;
    return { clock, beats, heart: new Heartbeat(session, metadata, clock) };
  }

  it('reports a resumed turn immediately, then every ten seconds', () => {
    const { clock, beats, heart: one } = heart();
    one.start(true);
    one.doing('reads');
    clock.advance(25_000);
    one.stop();
    clock.advance(25_000);
    expect(beats).toEqual([
      [0, undefined],
      [10_000, 'reads'],
      [20_000, 'reads'],
    ]);
  });

  it('reports a new turn after a third of the shortest deadline it extends', () => {
    const within = (seconds: number, more: object = {}) => ({ name: 'turn_within', params: { seconds, ...more } });
    const { clock, beats, heart: one } = heart([within(9), within(6), within(1, { heartbeat: false })]);
    one.start(false);
    clock.advance(4_000);
    expect(beats.map(([at]) => at)).toEqual([2_000, 4_000]);
  });
});

describe('[PA5] live text', () => {
  it('is complete before the answer, in limited parts, and dropped without an answer', () => {
    const parts: string[] = [];
    const session = { delta: async (text: string) => void parts.push(text) } as unknown as Session;
    const live = new LiveText(session, 'c', new SimClock());
    live.add('a');
    live.add('b'.repeat(40_000));
    live.end();
    live.add('late');
    expect(parts.map((part) => part.length)).toEqual([1, 16_384, 16_384, 7_232]);
    const dropped = new LiveText(session, 'c', new SimClock());
    dropped.add('x');
    dropped.add('y');
    dropped.drop();
    expect(parts.slice(4)).toEqual(['x']);
  });

  it('is limited to one megabyte in total', () => {
    const clock = new SimClock();
    let shown = 0;
    const session = {
      async delta(text: string) {
        shown += text.length;
      },
    } as unknown as Session;
    const live = new LiveText(session, 'c', clock);
    for (let half = 0; half < 2; half += 1) {
      live.add('y'.repeat(600_000));
      clock.advance(60_000);
    }
    live.end();
    expect(shown).toBe(1_000_000);
  });
});

it('[PA9] drops the memory of a session at its end, and notifies once', async () => {
  let end: (how: SessionEnd) => void = () => {};
  const ended = new Promise<SessionEnd>((resolve) => {
    end = resolve;
  });
  const session = { id: 's1', ended: () => ended } as unknown as Session;
  const kept = new SessionMemories();
  const ends: SessionEnd[] = [];
  for (let turns = 0; turns < 2; turns += 1) kept.watch(session, (how) => void ends.push(how));
  kept.of(session).answers = 5;
  kept.of(session).nativeSessionId = 'n';
  end({ reason: 'enough' } as SessionEnd);
  await quiet();
  expect(ends).toHaveLength(1);
  expect(kept.of(session)).toEqual({ answers: 0, nativeSessionId: undefined });
});

it('[PA12] searches the log only for messages older than the run, where nobody has the turn', async () => {
  let reads = 0;
  const session = {
    id: 's1',
    info: async () => ({ turn: null, session: { manifest: { type: 'conversation' }, participants: [] } }),
    canSend: async () => ({ can: true, code: null, why: null, turn: null }),
    async *log() {
      reads += 1;
      yield { sender_id: 'bob', causation_id: 'e1', seq: 2 };
    },
  } as unknown as Session;
  const client = { agentId: 'bob', welcomedAt: '2026-01-01T00:00:10Z' } as unknown as AgentClient;
  const message = (created_at: string) => {
    const content = { sender_id: 'alice', created_at, event_type: 'msg.text', event_data: {} };
    const envelope = { envelope_id: 'e1', seq: 1, ...content };
    return { envelope: envelope as unknown as Envelope } as never;
  };
  expect(await findTurn(client, session, message('2026-01-01T00:00:20Z'))).toMatchObject({ turn: { resumed: false } });
  expect(reads).toBe(0);
  expect(await findTurn(client, session, message('2026-01-01T00:00:00Z'))).toBeNull();
  expect(reads).toBe(1);
});

it('[PA11] removes its abort listener after a person has answered', async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const watched = {
    aborted: false,
    addEventListener: (...args: Parameters<typeof signal.addEventListener>) => {
      listeners += 1;
      signal.addEventListener(...args);
    },
    removeEventListener: (...args: Parameters<typeof signal.removeEventListener>) => {
      listeners -= 1;
      signal.removeEventListener(...args);
    },
  } as unknown as AbortSignal;
  const start = { role: 'user', content: 'may I?', meta: {}, timestamp: '' };
  const turn = { signal: watched, idempotencyKey: 'k', resumed: false, onDelta() {}, onProgress() {} };
  expect(await createManualAdapter(() => 'you may')({ threadId: 's1', start, steps: [] }, '', turn)).toBe('you may');
  expect(listeners).toBe(0);
});

it('[PA1] reads timestamps from the log, and no more of it than needed', async () => {
  const messages = [
    { role: 'user', content: 'one', seq: 1, name: 'alice' },
    { role: 'user', content: 'three', seq: 3, name: 'alice' },
  ];
  const read: number[] = [];
  const session = {
    id: 's1',
    view: async () => ({ messages }),
    async *log({ fromSeq = 1 }: { readonly fromSeq?: number }) {
      for (let seq = fromSeq; seq <= 9; seq += 1) {
        read.push(seq);
        yield { seq, event_type: 'msg.text', sender_id: 'alice', created_at: `time ${seq}`, event_data: { text: 'x' } };
      }
    },
  } as unknown as Session;
  const metadata = { manifest: { type: 'x' }, participants: [], knobs: {}, labels: {}, created_at: 'begun' };
  const { steps } = await readThread(session, { session: metadata } as never, 'bob', undefined);
  expect(steps.map(({ timestamp }) => timestamp)).toEqual(['time 1', 'time 3']);
  // The first message, and the range from the first missing to the last.
  expect(read).toEqual([1, 3]);
});
