// The page and the engine read the same history and state from any log of a governed run.

import fc from 'fast-check';
import {
  displayState,
  type GovernedState,
  NEW_SESSION,
  readRun,
  recordsFrom,
  rulesOf,
} from 'parley-hub/governed/session';
import { draftOf, seededRandom } from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { toPhaseModels } from '../../../src/console/parts/governed/model/phase-model.ts';
import { historyAt, toRunHistory, withEnvelope } from '../../../src/console/parts/governed/model/run-history.ts';
import { approval, currentBlocker, refusal, toRunModel } from '../../../src/console/parts/governed/model/run-model.ts';
import { isProtocolError } from '../../../src/core/lib/errors.ts';
import { governedDrafts } from '../../adapters/governed/governed-drafts.ts';
import { aRun, type Run } from '../../adapters/governed/governed-scene.ts';

const STEPS = 50;

/** A run of random valid envelopes. */
function play(seed: number): Run {
  const random = seededRandom(seed);
  const run = aRun();
  for (let step = 0; step < STEPS && run.state.run.status !== 'completed'; step++) {
    const { metadata, state } = run;
    const sender = random.pick(metadata.participants);
    const draft = random.pick(governedDrafts({ metadata, state, sender, random }));
    const role = state.run.active_turns[String(draft.event_data.turn_id)]?.assigned_role ?? '';
    const holder = { dev: 'bob', qa: 'carol' }[role] ?? 'alice';
    const by = draft.event_type === 'turn.result' ? holder : draft.event_type.startsWith('gate.') ? 'dave' : 'alice';
    try {
      run.follow(draftOf(`id-${by}`, draft));
    } catch (thrown) {
      if (!isProtocolError(thrown)) throw thrown;
    }
  }
  return run;
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

const isImported = ({ log }: Run) => log.some(({ event_type }) => event_type === 'governed.imported');

describe('the history of a governed run', () => {
  it("[UI50] has the engine's accepted turns and decisions in order, and marks overridden ones", () => {
    const seen = { turns: 0, overridden: 0, blocked: 0 };
    fc.assert(
      fc.property(seeds, (seed) => {
        const run = play(seed);
        const book = toRunHistory(run.log);
        const { history, ledger, state } = readRun(run.metadata, run.log);
        expect(book.turns.map(({ turn_id }) => turn_id)).toEqual(state.books.turns);
        expect(book.turns.map(({ summary }) => summary)).toEqual(history.map((one) => one.summary ?? ''));
        expect(book.decisions.map(({ id }) => id)).toEqual(ledger.map(({ id }) => id));
        const overrides = new Set(ledger.map((one) => (one as { overrides?: unknown }).overrides ?? null));
        for (const { id, overridden_by } of book.decisions) expect(overridden_by !== null).toBe(overrides.has(id));
        const isOpen = book.blockers.some(({ resolved_at }) => resolved_at === null);
        if (isOpen && !isImported(run)) expect(state.run.status).toBe('blocked');
        const now = currentBlocker(toRunModel(displayState(rulesOf(run.metadata), state)), book);
        expect(now?.what ?? null).toBe(state.run.blocked_on);
        seen.turns += book.turns.length;
        seen.overridden += book.decisions.filter(({ overridden_by }) => overridden_by !== null).length;
        seen.blocked += Number(isOpen);
      }),
      { numRuns: 150, seed: 1 },
    );
    expect(Math.min(seen.turns, seen.blocked)).toBeGreaterThan(5);
  }, 60_000);

  it('[UI7, UI50] as of a seq equals the history of the log up to it', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { log } = play(seed);
        const book = toRunHistory(log);
        for (const { seq } of log)
          expect(historyAt(book, seq)).toEqual(toRunHistory(log.filter((one) => one.seq <= seq)));
      }),
      { numRuns: 60, seed: 2 },
    );
  }, 60_000);

  it("[UI50] has the hub's status, phase, gates and active turns after every envelope", () => {
    const statuses = new Set<string>();
    fc.assert(
      fc.property(seeds, (seed) => {
        const run = play(seed);
        const { metadata, log } = run;
        let state: GovernedState = NEW_SESSION;
        for (const envelope of log) {
          state = recordsFrom(metadata, envelope, state)?.state ?? state;
          const shown = toRunModel(displayState(rulesOf(metadata), state));
          expect([shown.status, shown.phase, shown.blocked_on]).toEqual([
            state.run.status,
            state.run.phase,
            state.run.blocked_on,
          ]);
          expect(shown.turns.map(({ turn_id }) => turn_id)).toEqual(Object.keys(state.run.active_turns));
          const phases = toPhaseModels(metadata.knobs.config, shown);
          expect(phases.filter(({ status }) => status === 'current').map(({ name }) => name)).toEqual(
            state.run.status === 'completed' || state.run.phase === null ? [] : [state.run.phase],
          );
          if (isImported(run)) continue;
          for (const { gate } of phases) {
            if (gate === null) continue;
            const said = state.run.phase_gate_status[gate.name] ?? 'pending';
            expect(gate.status === 'ahead' || gate.status === 'waiting' ? 'pending' : gate.status).toBe(said);
            statuses.add(gate.status);
          }
        }
      }),
      { numRuns: 100, seed: 2 },
    );
    expect([...statuses].sort()).toEqual(['ahead', 'failed', 'passed', 'waiting']);
  }, 60_000);

  it('[UI50] counts an envelope read twice once, and survives strange data', () => {
    const run = play(7);
    const book = toRunHistory(run.log);
    expect(run.log.reduce(withEnvelope, book)).toBe(book);
    const types = 'turn.accepted governed.imported gate.refused run.blocked run.resolved turn.rejected __proto__'.split(
      ' ',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...types), fc.jsonValue())), fc.jsonValue(), (said, state) => {
        const log = said.map(([event_type, value], i) => ({
          seq: i + 1,
          created_at: '2026-01-01T00:00:00.000Z',
          sender_id: 'x',
          event_type,
          event_data: { result: value, history: value, ledger: value, errors: value, blocked_on: value } as never,
        }));
        expect(toRunHistory(log).seq).toBe(log.length);
        expect(toPhaseModels(state, toRunModel(state))).toBeInstanceOf(Array);
      }),
    );
  });

  it('[UI51] an answer to a gate contains the gate and the note', () => {
    const pending = { gate_type: 'phase_transition', gate: 'plan', to: 'build', requested_by_turn: null } as const;
    expect(approval(pending, '  ')).toEqual({
      event_type: 'gate.approved',
      event_data: { gate_type: 'phase_transition', gate: 'plan' },
    });
    expect(refusal(pending, ' not yet ')).toEqual({
      event_type: 'gate.refused',
      event_data: { gate_type: 'phase_transition', gate: 'plan', reason: 'not yet' },
    });
  });
});
