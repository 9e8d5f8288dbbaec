/** The cost and lateness of a deadline sweep with very many armed sessions. */

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExpectationEntry } from '../../src/core/records/session/session.ts';
import type { Binding } from '../../src/hub/bindings/binding.ts';
import { everySecond } from '../../src/system/every-second.ts';
import { Arena } from './arena.ts';
import { inAll } from './closed-loop.ts';
import type { Bench } from './figure.ts';
import { inPairs } from './pairs.ts';

const [MANY, FEW, DUE] = [100_000, 1_000, 100];
/** Sessions that fall due while the clock is watched, and over how long. */
const [LATE, SPREAD_SECONDS] = [800, 8];
const PAIRS = 500;
const OUTSTANDING = 256;
const FAR_SECONDS = 30 * 86_400;
const SOON_SECONDS = 0.05;

export const sweep: Bench = {
  names: ['sweep_100k_vs_1k', 'late_max_ms'],

  async run({ quick, folder, note }) {
    note(`sweep: arming ${FEW} and ${MANY} sessions`);
    const few = await Armed.open(join(folder, 'few'), FEW);
    const many = await Armed.open(join(folder, 'many'), MANY);
    await inPairs(
      3,
      () => few.sweep(),
      () => many.sweep(),
    );
    const swept = await inPairs(
      quick ? 15 : 41,
      () => few.sweep(),
      () => many.sweep(),
    );
    note(`sweep: ${LATE} sessions fall due within ${SPREAD_SECONDS} s of the clock`);
    const lateMs = (await many.lateness()).sort((a, b) => a - b);
    await few.stop();
    await many.stop();
    const middle = `${Math.round(lateMs[lateMs.length >> 1] ?? Number.NaN)} ms in the middle`;
    return [
      {
        name: 'sweep_100k_vs_1k',
        what: `a sweep with 100,000 sessions armed ÷ with 1,000, ${DUE} due in both`,
        measured: `${swept.ours.toFixed(2)} ms`,
        raw: `${swept.raw.toFixed(2)} ms`,
        value: swept.ratio,
        must: 1.5,
        aim: 1.1,
        better: 'less',
      },
      {
        name: 'late_max_ms',
        what: `the latest firing behind its time, ${LATE} of 100,000 armed sessions due`,
        measured: middle,
        raw: 'a tick a second',
        value: lateMs.at(-1) ?? Number.NaN,
        unit: 'ms',
        must: 1500,
        aim: 1100,
        better: 'less',
      },
    ];
  },
};

/** A hub with many discussions waiting for a turn: nearly all due much later, some on demand. */
class Armed {
  readonly #arena: Arena;
  readonly #speakers: readonly [Binding, Binding];
  readonly #due: readonly string[];
  /** The holder of the turn in those that fall due. */
  #turn: 0 | 1 = 0;

  private constructor(arena: Arena, speakers: readonly [Binding, Binding], due: readonly string[]) {
    this.#arena = arena;
    this.#speakers = speakers;
    this.#due = due;
  }

  static async open(folder: string, sessions: number): Promise<Armed> {
    const arena = await Arena.open(folder);
    const fillers = await Promise.all(Array.from({ length: 2 * PAIRS }, (_, i) => arena.join(`agent-${i}`)));
    await inAll(sessions - DUE, OUTSTANDING, async (i) => {
      const [by, other] = [fillers[2 * (i % PAIRS)], fillers[2 * (i % PAIRS) + 1]];
      if (by !== undefined && other !== undefined) await arena.discuss(by, other, [turnWithin(FAR_SECONDS)]);
    });
    // A stream costs memory while its reader is present.
    for (const binding of fillers) arena.leave(binding);
    const speakers = [await arena.join('alice'), await arena.join('bob')] as const;
    const due = await discussions(arena, speakers, DUE, () => SOON_SECONDS);
    return new Armed(arena, speakers, due);
  }

  /** The milliseconds from the sweep until everything due has fired and is durable. */
  async sweep(): Promise<number> {
    const speaker = this.#speakers[this.#turn];
    this.#turn = this.#turn === 0 ? 1 : 0;
    await Promise.all(this.#due.map((session) => this.#arena.post(speaker, session)));
    await setTimeout(2 * SOON_SECONDS * 1000);
    const begin = performance.now();
    const fired = this.#firings(this.#due.length, () => {});
    this.#arena.hub.sweep();
    await fired;
    return performance.now() - begin;
  }

  /** How late each firing is when the hub wakes as usual. */
  async lateness(): Promise<number[]> {
    const lateMs: number[] = [];
    // Prepared in advance; due one second from then on.
    const seconds = (i: number) => 3 + (i * SPREAD_SECONDS) / LATE;
    const fired = this.#firings(LATE, (dueAt) => lateMs.push(Date.now() - Date.parse(dueAt)));
    const stopTicking = everySecond(() => this.#arena.hub.sweep());
    await discussions(this.#arena, this.#speakers, LATE, seconds);
    await fired;
    stopTicking();
    return lateMs;
  }

  stop(): Promise<void> {
    return this.#arena.stop();
  }

  /** Resolves with the last of this many violations. */
  #firings(count: number, each: (dueAt: string) => void): Promise<void> {
    return new Promise((resolve) => {
      let left = count;
      const stop = this.#arena.hub.on('expectationViolated', ({ violation }) => {
        each(violation.due_at);
        left -= 1;
        if (left > 0) return;
        stop();
        resolve();
      });
    });
  }
}

async function discussions(
  arena: Arena,
  speakers: readonly [Binding, Binding],
  count: number,
  seconds: (i: number) => number,
): Promise<string[]> {
  const sessions: string[] = [];
  await inAll(count, OUTSTANDING, async (i) => {
    sessions.push(await arena.discuss(...speakers, [turnWithin(seconds(i))]));
  });
  return sessions;
}

/** Audited only: nobody is hidden, and the next turn is awaited too. */
function turnWithin(seconds: number): ExpectationEntry {
  return { name: 'turn_within', on_violation: 'audit', params: { seconds } };
}
