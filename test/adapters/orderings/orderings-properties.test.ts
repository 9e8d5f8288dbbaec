// Random histories of discussions: the holder is always active, nobody starves, and raise_hand matches a naive
// implementation.

import fc from 'fast-check';
import { discussion } from 'parley-hub/adapters/discussion';
import { handoff } from 'parley-hub/core';
import { History, idOf } from 'parley-hub/testing';
import { expect, it } from 'vitest';
import { runs } from '../../support/size.ts';
import { RaiseHandModel } from './raise-hand-model.ts';

type Session = History<ReturnType<typeof discussion.initialState>>;
type Step =
  | { readonly kind: 'say' }
  | { readonly kind: 'bid'; readonly who: number; readonly bid: number }
  | { readonly kind: 'hide' | 'back' | 'remove' | 'name'; readonly who: number };

const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'];
const who = fc.nat({ max: NAMES.length - 1 });
const step = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Step>({ kind: 'say' }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('bid' as const), who, bid: fc.nat({ max: 9 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('hide' as const, 'back' as const, 'name' as const), who }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), who }) },
);
const histories = fc.record({
  participants: fc.integer({ min: 2, max: NAMES.length }),
  steps: fc.array(step, { minLength: 1, maxLength: 60 }),
});

/** Applies a step; null = no effect. One participant always stays active. */
function happen(session: Session, one: Step): string | null {
  const { participants } = session.metadata;
  if (one.kind === 'say') {
    const { turn } = session;
    const name = participants.find(({ agent_id }) => agent_id === turn?.agent_id)?.name;
    if (name === undefined) return null;
    session.say(name, 'well');
    return name;
  }
  const target = participants[one.who];
  if (target === undefined) return null;
  const active = participants.filter(({ status }) => status === 'active');
  switch (one.kind) {
    case 'bid':
      if (target.status !== 'active') return null;
      session.say(target.name, { event_type: 'hand.raise', event_data: { bid: one.bid } });
      return target.name;
    case 'name': {
      const speaker = participants.find(({ agent_id }) => agent_id === session.turn?.agent_id);
      try {
        session.say(speaker?.name ?? '', handoff(target.name));
        return target.name;
      } catch {
        return null;
      }
    }
    case 'back':
      if (target.status !== 'hidden') return null;
      session.hub('session.participant.returned', { agent_id: target.agent_id });
      return target.name;
    default:
      if (target.status !== 'active' || active.length === 1) return null;
      session.hub(`session.participant.${one.kind === 'hide' ? 'hidden' : 'removed'}`, { agent_id: target.agent_id });
      return target.name;
  }
}

it.each(['round_robin', 'raise_hand', 'moderated', 'random'])(
  '[DI4, AD8] %s always has an active holder that can post, and a JSON state',
  (ordering) => {
    const property = fc.property(histories, ({ participants, steps }) => {
      const session: Session = new History(discussion, { participants, knobs: { ordering } });
      for (const one of steps) {
        happen(session, one);
        const active = session.metadata.participants.filter(({ status }) => status === 'active');
        const holder = active.find(({ agent_id }) => agent_id === session.turn?.agent_id);
        expect(holder).toBeDefined();
        expect(JSON.parse(JSON.stringify(session.state))).toEqual(session.state);
      }
      expect(happen(session, { kind: 'say' })).not.toBeNull();
    });
    fc.assert(property, { numRuns: runs(1000) });
  },
);

it.each(['raise_hand', 'random'])(
  '[DI8, DI10] %s never gives the turn back to the sender while another is active',
  (ordering) => {
    const property = fc.property(histories, ({ participants, steps }) => {
      const session: Session = new History(discussion, { participants, knobs: { ordering } });
      for (const one of steps) {
        const said = happen(session, one);
        if (one.kind !== 'say' || said === null || session.state.active.length < 2) continue;
        expect(session.turn?.agent_id).not.toBe(idOf(said));
      }
    });
    fc.assert(property, { numRuns: runs(1000) });
  },
);

it('[DI8] passes nobody over more than N − 1 times, for at most N active participants', () => {
  const property = fc.property(histories, ({ participants, steps }) => {
    const session: Session = new History(discussion, { participants, knobs: { ordering: 'raise_hand' } });
    const waits = new Map<string, { passed: number; most: number }>();
    for (const one of steps) {
      const before = session.turn;
      const last = one.kind === 'say' ? before?.agent_id : session.state.last_speaker_id;
      happen(session, one);
      const { active } = session.state;
      const { turn } = session;
      for (const id of [...waits.keys()]) if (!active.includes(id)) waits.delete(id);
      const isGiven = turn?.since_seq !== before?.since_seq;
      for (const id of active) {
        const wait = waits.get(id) ?? { passed: 0, most: 0 };
        const isOver = isGiven && id !== turn?.agent_id && (id !== last || active.length === 1);
        waits.set(id, { passed: wait.passed + (isOver ? 1 : 0), most: Math.max(wait.most, active.length) });
        if (isGiven && id === turn?.agent_id) waits.set(id, { passed: 0, most: active.length });
      }
      for (const [id, { passed, most }] of waits) expect([id, passed <= most - 1]).toEqual([id, true]);
    }
  });
  fc.assert(property, { numRuns: runs(3000) });
});

it('[DI8] raise_hand matches the naive implementation', () => {
  const property = fc.property(histories, ({ participants, steps }) => {
    const session: Session = new History(discussion, { participants, knobs: { ordering: 'raise_hand' } });
    const model = new RaiseHandModel(NAMES.slice(0, participants));
    for (const one of steps) {
      const done = happen(session, one);
      if (done === null || one.kind === 'name') continue;
      if (one.kind === 'say') model.speak();
      else if (one.kind === 'bid') model.bid(done, one.bid);
      else if (one.kind === 'back') model.back(done);
      else model.away(done);
      expect(session.turn?.agent_id).toBe(idOf(model.expected ?? 'nobody'));
    }
  });
  fc.assert(property, { numRuns: runs(3000) });
});
