// Random envelopes from any sender leave a governed session in a valid state, with unique ids in its run files.

import fc from 'fast-check';
import type { Envelope } from 'parley-hub/core';
import { buildAcceptanceIndex, MOVES, orderFaults, RUN_STATUSES } from 'parley-hub/governed/engine';
import { type GovernedState, NEW_SESSION, readRun, recordsFrom, toAcceptanceIndex } from 'parley-hub/governed/session';
import { draftOf, seededRandom } from 'parley-hub/testing';
import { expect, it } from 'vitest';
import { isProtocolError } from '../../../src/core/lib/errors.ts';
import { itDeep, runs as sized } from '../../support/size.ts';
import { governedDrafts } from './governed-drafts.ts';
import { aRun, type Run } from './governed-scene.ts';

const STEPS = 50;
const SENDERS: Readonly<Record<string, string>> = {
  'turn.result': 'holder',
  'gate.approved': 'dave',
  'gate.refused': 'dave',
};

/** Mostly valid senders, sometimes any participant. */
function play(seed: number): Run {
  const random = seededRandom(seed);
  const run = aRun();
  for (let step = 0; step < STEPS && run.state.run.status !== 'completed'; step++) {
    const { metadata, state } = run;
    const anybody = random.pick(metadata.participants);
    const draft = random.pick(governedDrafts({ metadata, state, sender: anybody, random }));
    const role = state.run.active_turns[String(draft.event_data.turn_id)]?.assigned_role ?? '';
    const holder = { dev: 'bob', qa: 'carol' }[role] ?? 'alice';
    const by = SENDERS[draft.event_type] ?? 'alice';
    const name = random.chance(0.1) ? anybody.name : by === 'holder' ? holder : by;
    try {
      run.follow(draftOf(`id-${name}`, draft));
    } catch (thrown) {
      if (!isProtocolError(thrown)) throw thrown;
      law(run.state === state, 'a rejection changes nothing');
    }
  }
  return run;
}

const records = (entries: readonly object[]) => entries.map((entry) => ({ ...entry }));
const idsOf = (entries: readonly object[], key: string): unknown[] =>
  entries.map((entry) => (entry as Record<string, unknown>)[key]);

/** Cheaper than `expect`, which would run a million times. */
function law(holds: boolean, words: string): void {
  if (!holds) throw new Error(`broken: ${words}`);
}

function once(ids: readonly unknown[]): boolean {
  return new Set(ids).size === ids.length;
}

function expectLegal({ run, claims, follow_ups, books }: GovernedState): void {
  const waiting = [run.pending_phase_transition, run.pending_run_completion].filter((one) => one !== null);
  const turns = Object.keys(run.active_turns);
  law(RUN_STATUSES.includes(run.status), 'a valid status');
  law(waiting.length === (run.status === 'paused' ? 1 : 0), 'paused for one gate');
  law((run.blocked_on !== null) === (run.status === 'blocked'), 'blocked on something');
  law((run.completed_at !== null) === (run.status === 'completed'), 'completed at some time');
  law(run.status !== 'idle' || turns.length === 0, 'idle without turns');
  law(
    Object.keys(claims).every((id) => turns.includes(id)),
    'claims belong to active turns',
  );
  law(!turns.some((id) => books.turns.includes(id)), 'an accepted turn is not active');
  law(once(follow_ups.map(({ id }) => id)), 'a follow-up once');
}

/** Each step is a valid transition, or none. */
function expectMoves(run: Run): void {
  let state: GovernedState = NEW_SESSION;
  for (const envelope of run.log) {
    const after: GovernedState = recordsFrom(run.metadata, envelope, state)?.state ?? state;
    expectLegal(after);
    const [from, to] = [state.run.status, after.run.status];
    const isMove = Object.values(MOVES).some((move) => move.from === from && move.to === to);
    law(from === to || isMove || envelope.event_type === 'governed.imported', `${from} → ${to}`);
    state = after;
  }
  expect(state).toEqual(run.state);
}

itDeep(
  '[GS3, GS5, GS15] random histories stay valid, have unique ids, and read back unchanged',
  () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) => {
        const run = play(seed);
        expectMoves(run);
        const { state, history, ledger, events } = readRun(run.metadata, run.log);
        expect(state).toEqual(run.state);
        for (const [entries, key] of [
          [history, 'turn_id'],
          [ledger, 'id'],
          [events, 'event_id'],
        ] as const) {
          law(once(idsOf(entries, key)), `${key} once`);
        }
        expect(idsOf(history, 'turn_id')).toEqual(state.books.turns);
        expect(idsOf(ledger, 'id')).toEqual(state.books.decisions.map(({ id }) => id));
        const [kept, past] = [
          toAcceptanceIndex(state.books, state.run),
          buildAcceptanceIndex(state.run, records(history), records(ledger)),
        ];
        expect(kept).toEqual(past);
        const wasTakenOver = run.log.some(({ event_type }) => event_type === 'governed.imported');
        if (events.length > 0 && !wasTakenOver) expect(orderFaults(events)).toEqual([]);
      }),
      { numRuns: sized(400, 60) },
    );
  },
  120_000,
);

itDeep('[GS15] random histories cover all types and statuses', () => {
  const runs = Array.from({ length: 150 }, (_, seed) => play(seed));
  const types = new Set(runs.flatMap(({ log }) => log.map(({ event_type }: Envelope) => event_type)));
  const statuses = new Set(runs.map(({ state }) => state.run.status));
  expect([...types].filter((type) => !type.startsWith('session.')).sort()).toEqual([
    'gate.approved',
    'gate.refused',
    'governed.imported',
    'lease.released',
    'lease.taken',
    'run.answered',
    'run.blocked',
    'run.escalated',
    'run.initialized',
    'run.resolved',
    'turn.accepted',
    'turn.assigned',
    'turn.dispatched',
    'turn.progress',
    'turn.rejected',
    'turn.result',
  ]);
  expect([...statuses].sort()).toEqual(['active', 'blocked', 'completed', 'paused']);
  expect(Math.max(...runs.map(({ state }) => state.books.turns.length))).toBeGreaterThan(3);
});

it('[GS15] reading an envelope twice gives the same events and ids', () => {
  const run = play(7);
  expect(readRun(run.metadata, run.log)).toEqual(readRun(run.metadata, JSON.parse(JSON.stringify(run.log))));
});
