import { type JsonObject, ProtocolError, type SessionAdapter } from 'parley-hub/core';
import {
  type AdapterCheckOptions,
  adapterChecks,
  describeAdapter,
  draftOf,
  type GoldenLog,
  History,
  idOf,
  recordGolden,
} from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { itDeep } from '../support/size.ts';
import { type Circle, type Count, circle, countdown } from './sound-adapters.ts';

describeAdapter(circle);
describeAdapter(circle, { name: 'a larger circle', participants: 5, goodCreates: [{ participants: 2 }] });

describe('the contract suite of adapters', () => {
  it('[AD2] accepts an adapter with six members and a two-argument fold', () => {
    expect(countdown.fold).toHaveLength(2);
    expect(brokenRules(countdown)).toEqual([]);
  });

  it('[AD9] uses the same histories in every run', () => {
    const sendsTried = () => {
      const sends: unknown[] = [];
      const watched = { ...countdown, validateSend: (...args: unknown[]) => void sends.push(args) };
      brokenRules(watched, {}, ['AD12']);
      return sends;
    };
    expect(sendsTried()).toEqual(sendsTried());
  });

  for (const { rule, fault, adapter, options } of wrongAdapters()) {
    it(`[${rule}] finds an adapter that ${fault}`, () => {
      expect(brokenRules(adapter, options, [rule])).toEqual([rule]);
    });
  }

  it('[AD11] restores the clock and randomness', () => {
    const before = [Date, Date.now, Math.random, performance.now, setTimeout];
    brokenRules({ ...countdown, fold: (_envelope, { texts }) => ({ texts: texts + Math.random() }) }, {}, ['AD11']);
    expect([Date, Date.now, Math.random, performance.now, setTimeout]).toEqual(before);
    expect(Object.hasOwn(performance, 'now')).toBe(false);
  });

  it('[AD16] says what to do if nobody can post', () => {
    const mute = { ...countdown, validateSend: refuseAll };
    const check = adapterChecks(mute).find(({ title }) => title.startsWith('[AD16]'));
    expect(() => check?.run()).toThrow('pass suitable "drafts" and "knobs"');
  });

  itDeep('[AD16] uses the drafts and turns of an adapter with custom types', () => {
    const coin = { event_type: 'coin.flip', event_data: { side: 'heads' } };
    const flips: SessionAdapter<Circle> = {
      ...circle,
      validateSend(metadata, draft, state) {
        if (draft.event_type !== 'coin.flip') throw new ProtocolError('flip the coin');
        circle.validateSend(metadata, { ...draft, event_type: 'msg.text' }, state);
      },
      fold: (envelope, state, metadata) =>
        envelope.event_type === 'msg.text'
          ? state
          : circle.fold({ ...envelope, event_type: asText(envelope.event_type) }, state, metadata),
    };
    const options = { drafts: () => [coin], takeTurn: () => [coin], folds: ['coin.flip'] };
    expect(brokenRules(flips, options)).toEqual([]);
    expect(brokenRules(flips, { drafts: options.drafts })).toEqual(['AD16']);
  });
});

describe('golden logs', () => {
  it('[AD18] accepts the adapter that made it', () => {
    expect(brokenRules(circle, { golden: goldenCircle() })).toEqual([]);
  });

  it.each<{ change: string; adapter: SessionAdapter<Circle> }>([
    { change: 'state', adapter: { ...circle, initialState: () => ({ order: [], active: [], next: null, since: 0 }) } },
    { change: 'turn', adapter: { ...circle, expectedNext: () => null } },
    { change: 'result', adapter: { ...circle, onAccepted: () => ({ next_state: 'CLOSING' }) } },
    { change: 'refusal', adapter: { ...circle, validateSend: refuseAll } },
    { change: 'leniency', adapter: { ...circle, validateSend() {} } },
    { change: 'manifest', adapter: { ...circle, manifest: { ...circle.manifest, expectations: [] } } },
    { change: 'version', adapter: { ...circle, manifest: { ...circle.manifest, version: 2 } } },
  ])('[AD18] finds a changed $change', ({ adapter }) => {
    expect(brokenRules(adapter, { golden: goldenCircle() }, ['AD18'])).toEqual(['AD18']);
  });
});

/** The rules whose checks fail, optionally only of these. */
function brokenRules<State>(
  adapter: SessionAdapter<State>,
  options: AdapterCheckOptions = {},
  only?: readonly string[],
): readonly string[] {
  const checks = adapterChecks(adapter, options).map(({ title, run }) => ({ rule: ruleOf(title), run }));
  return checks
    .filter(({ rule }) => only?.includes(rule) ?? true)
    .filter(({ run }) => fails(run))
    .map(({ rule }) => rule);
}

function ruleOf(title: string): string {
  return /^\[(AD\d+)\]/.exec(title)?.[1] ?? title;
}

function fails(run: () => void): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}

interface WrongAdapter {
  readonly rule: string;
  readonly fault: string;
  // The suite does not depend on the type of the state.
  readonly adapter: SessionAdapter;
  readonly options?: AdapterCheckOptions;
}

let calls = 0;

function wrongAdapters(): readonly WrongAdapter[] {
  const { manifest } = countdown;
  const shared = { texts: 0 };
  return [
    wrong('AD1', 'has version 0', { manifest: { ...manifest, version: 0 } }),
    wrong('AD1', 'has a maximum below its minimum', {
      manifest: { ...manifest, participants: { min: 3, max: 2, roles: [] } },
    }),
    wrong('AD1', 'has a nameless expectation', {
      manifest: { ...manifest, expectations: [{ name: '', on_violation: 'audit', params: {} }] },
    }),
    wrong('AD3', 'rejects every session', { validateCreate: refuseAll }),
    {
      ...wrong('AD3', 'accepts an invalid session', {}),
      options: { badCreates: [{ participants: 9 }] },
    },
    {
      ...wrong('AD3', 'rejects a session with a plain Error', { validateCreate: throwPlainForMany }),
      options: { badCreates: [{ participants: 9 }] },
    },
    wrong('AD4', 'shares its initial state', { initialState: () => shared }),
    wrong('AD4', 'begins with undefined', { initialState: () => undefined as unknown as Count }),
    wrong('AD5', 'throws when folding a text', { fold: throwPlain }),
    wrong('AD5', 'throws when someone unknown joins', {
      fold(envelope, state, metadata) {
        if (envelope.event_data.agent_id === 'id-newcomer') throw new Error('who?');
        return countdown.fold(envelope, state, metadata);
      },
    }),
    wrong('AD6', 'throws on an unknown type', {
      fold(envelope, state, metadata) {
        if (envelope.event_type.startsWith('x.')) throw new Error('unknown');
        return countdown.fold(envelope, state, metadata);
      },
    }),
    wrong('AD6', 'counts every envelope', { fold: (_envelope, { texts }) => ({ texts: texts + 1 }) }),
    wrong('AD7', 'changes its state argument', {
      fold: (_envelope, state) => Object.assign(state, { texts: state.texts + 1 }),
    }),
    wrong('AD7', 'sorts the participants in place', {
      validateSend: ({ participants }) => void (participants as unknown[]).reverse(),
    }),
    wrong('AD7', 'writes into the envelope', {
      onAccepted(_metadata, envelope) {
        Object.assign(envelope, { seen: true });
        return {};
      },
    }),
    wrong('AD8', 'keeps a Map', { fold: () => new Map() as unknown as Count }),
    wrong('AD8', 'keeps an undefined member', {
      fold: (_envelope, { texts }) => ({ texts, last: undefined }) as Count,
    }),
    wrong('AD8', 'keeps NaN', { fold: () => ({ texts: Number.NaN }) }),
    wrong('AD8', 'keeps a Date', { fold: ({ created_at }) => ({ texts: new Date(created_at) }) as unknown as Count }),
    wrong('AD9', 'fails on a state from a snapshot', { fold: countByIdentity }),
    wrong('AD10', 'counts in a variable', { fold: () => ({ texts: calls++ }) }),
    wrong('AD10', 'accepts every second post', { validateSend: () => void (calls++ % 2 === 0 && refuseAll()) }),
    wrong('AD11', 'uses the clock', { fold: (_envelope, { texts }) => ({ texts: texts + 0 * Date.now() }) }),
    wrong('AD11', 'makes a Date of now', {
      fold: (_envelope, { texts }) => ({ texts: texts + new Date().getFullYear() }),
    }),
    wrong('AD11', 'uses randomness and hides it', { fold: (_envelope, state) => quietly(Math.random) ?? state }),
    wrong('AD12', 'rejects a post with a plain Error', { validateSend: throwPlain }),
    wrong('AD12', 'fails on unexpected data', {
      validateSend: (_metadata, { event_data }) => void (event_data.text as string).trim(),
    }),
    wrong('AD13', 'accepts packets without folding them', { validateSend() {} }),
    wrong('AD14', 'closes a session outright', { onAccepted: () => ({ next_state: 'CLOSED' as 'CLOSING' }) }),
    wrong('AD14', 'gives a reason and does not close', { onAccepted: () => ({ close_reason: 'bored' }) }),
    wrong('AD14', 'answers nothing', { onAccepted: () => undefined as unknown as object }),
    wrong('AD15', 'gives the turn to a non-participant', {
      expectedNext: () => ({ agent_id: 'id-nobody', since_seq: 1 }),
    }),
    wrong('AD15', 'names a holder by name instead of id', {
      expectedNext: () => ({ agent_id: 'alice', since_seq: 1 }),
    }),
    wrong('AD15', 'gives the turn since the future', {
      expectedNext: ({ head_seq, creator_id }) => ({ agent_id: creator_id, since_seq: head_seq + 1 }),
    }),
    {
      rule: 'AD15',
      fault: 'leaves the turn with a hidden participant',
      adapter: { ...circle, fold: foldWithoutStatus },
    },
    {
      rule: 'AD15',
      fault: 'does not name the post that gave the turn',
      adapter: { ...circle, expectedNext: (_metadata, { next }: Circle) => next && { agent_id: next, since_seq: 1 } },
    } as WrongAdapter,
    {
      rule: 'AD16',
      fault: 'rejects the holder of the turn',
      adapter: {
        ...circle,
        expectedNext: ({ participants }) => {
          const last = participants.findLast(({ status }) => status === 'active');
          return last === undefined ? null : { agent_id: last.agent_id, since_seq: 1 };
        },
      },
    },
    wrong('AD16', 'accepts no posts', { validateSend: refuseAll }),
    wrong('AD17', 'renders nothing', { render: () => 7 as unknown as string }),
    wrong('AD17', 'has a public state that is not an object', { publicState: () => [] as unknown as JsonObject }),
    wrong('AD17', 'shows a date', { publicState: () => ({ at: new Date(0) }) as unknown as JsonObject }),
    wrong('AD17', 'has a view without a name', { defaultView: () => ({ name: '', params: {} }) }),
  ];
}

function wrong(rule: string, fault: string, difference: Partial<SessionAdapter<Count>>): WrongAdapter {
  return { rule, fault, adapter: { ...countdown, ...difference } as SessionAdapter };
}

function refuseAll(): never {
  throw new ProtocolError('no');
}

function throwPlain(): never {
  throw new Error('oops');
}

function throwPlainForMany({ participants }: { participants: readonly unknown[] }): void {
  if (participants.length > 5) throwPlain();
}

function quietly(run: () => unknown): undefined {
  try {
    run();
  } catch {}
}

const made = new WeakSet<object>();

/** Correct only while it gets back the object it returned. */
function countByIdentity(_envelope: unknown, state: Count): Count {
  const next = { texts: made.has(state) ? state.texts + 1 : 0 };
  made.add(next);
  return next;
}

const foldWithoutStatus: SessionAdapter<Circle>['fold'] = (envelope, state, metadata) =>
  envelope.event_type.startsWith('session.participant.') ? state : circle.fold(envelope, state, metadata);

function asText(eventType: string): string {
  return eventType === 'coin.flip' ? 'msg.text' : eventType;
}

function goldenCircle(): GoldenLog {
  const session = new History(circle);
  session.say('alice', 'one');
  const early = draftOf(idOf('carol'), { event_type: 'msg.text', event_data: { text: 'me!' } });
  const soFar = [...session.log];
  session.say('bob', 'two');
  session.hub('session.participant.hidden', { agent_id: idOf('carol') });
  return JSON.parse(JSON.stringify(recordGolden(circle, [...soFar, early, ...session.log.slice(soFar.length)])));
}
