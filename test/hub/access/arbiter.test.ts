import { type Arbiter, ruleArbiter } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { Hub } from '../../../src/hub/hub.ts';
import {
  aConversation,
  aPanel,
  logOf,
  opened,
  type Refusal,
  recordEvents,
  refusal,
  refused,
  say,
  text,
  watch,
} from '../scene.ts';

const MEMBERS = Object.keys(ruleArbiter) as (keyof Arbiter)[];
const started = (arbiter: Partial<Arbiter>) => aConversation({}, { arbiter });

/** An arbiter that answers when the test says so. */
function slowly() {
  const waiting: ((verdict: boolean) => void)[] = [];
  return { waiting, authorizeSend: () => new Promise<boolean>((resolve) => waiting.push(resolve)) };
}

describe('a custom arbiter', () => {
  it('[AR1] is asked each of its questions, with the facts', async () => {
    const asked: string[] = [];
    const noting = Object.fromEntries(
      MEMBERS.map((member) => [
        member,
        (ask: never) => {
          asked.push(member);
          return ruleArbiter[member](ask);
        },
      ]),
    );
    const { world, alice, id } = await started(noting);
    await say(world, alice, id, 'hello');
    await refusal(world, alice.call('create_session', { type: 'conversation', participants: ['zoe'] }));
    expect(new Set(asked)).toEqual(new Set(MEMBERS));
  });

  it.each([
    ['false', false, 'the arbiter says no'],
    ['a reason', 'not on Sundays', 'not on Sundays'],
    ['an empty reason', '', 'no reason given'],
  ])('[AR1] denies by %s', async (_what, verdict, reason) => {
    const { world, alice, id } = await started({ authorizeSend: () => verdict });
    await refused(world, say(world, alice, id, 'x'), 'forbidden', { reason });
  });

  it('[AR1] must be one object, not a list', async () => {
    await expect(started([] as never)).rejects.toMatchObject({
      code: 'bad_options',
      message: `arbiter: expected an object with ${MEMBERS.join(', ')}, got an array of 0`,
    });
  });

  it('[AR1] replaces the rules for the members it has, and no others', async () => {
    const { world, alice, bob, id } = await started({ authorizeSend: () => true });
    await world.answer(alice.call('set_rule', { rule: { access: { outbound_to: [] } } }));
    await say(world, alice, id, 'allowed anyway');
    const create = alice.call('create_session', { type: 'conversation', participants: [bob.agentId] });
    await refused(world, create, 'forbidden');
  });

  it('[AR1] may deny a registration, and resolve an unknown name', async () => {
    const arbiter: Partial<Arbiter> = {
      authorizeRegister: ({ claim }) => claim.name !== 'mallory',
      resolveUnknown: async ({ name }) => (name === 'anyone' ? 'bob' : null),
    };
    const { world, alice, bob } = await started(arbiter);
    const stranger = world.stranger();
    await refused(world, stranger.call('register', { name: 'mallory' }), 'forbidden');
    const { session } = await world.answer(
      alice.call('create_session', { type: 'conversation', participants: ['anyone'], wait: 'created' }),
    );
    expect(session.participants[1]?.agent_id).toBe(bob.agentId);
    const unknown = alice.call('create_session', { type: 'conversation', participants: ['zoe'] });
    await refused(world, unknown, 'invalid_create');
  });

  it('[AR2] may take time; posts of one connection into one session keep their order', async () => {
    const arbiter = slowly();
    const { world, alice, bob, id } = await started(arbiter);
    const calls = ['1', '2', '3'].map((words) => watch(alice.call('post', text(id, words))));
    const other = watch(bob.call('post', text(id, 'b')));
    await world.settle();
    // All are asked concurrently; only the answers wait for their order.
    expect(arbiter.waiting).toHaveLength(4);
    arbiter.waiting[3]?.(true);
    arbiter.waiting[2]?.(true);
    arbiter.waiting[1]?.(true);
    await world.settle();
    expect(other.state).toBe('answered');
    expect(calls.map(({ state }) => state)).toEqual(['open', 'open', 'open']);
    arbiter.waiting[0]?.(true);
    await world.settle();
    const said = logOf(world.store, id).filter(({ sender_id }) => sender_id === alice.agentId);
    expect(said.map(({ event_data }) => event_data.text)).toEqual(['1', '2', '3']);
  });

  it('[AR2] denies after its timeout, which is reported', async () => {
    const arbiter = slowly();
    const { world, alice, id } = await started(arbiter);
    const failed = recordEvents(world, 'arbiterFailed', ({ member, error }) => [member, error.message]);
    const call = watch(alice.call('post', text(id, 'x')));
    await world.settle();
    await world.pass(999);
    expect(call.state).toBe('open');
    await world.pass(1);
    expect(call).toMatchObject({ state: 'refused', value: { code: 'forbidden' } });
    expect(failed).toEqual([['authorizeSend', 'no answer within 1000 ms']]);
    arbiter.waiting[0]?.(true);
    await world.settle();
    expect(logOf(world.store, id).some(({ sender_id }) => sender_id === alice.agentId)).toBe(false);
  });

  it('[AR2] does not replace checks of binding, lifecycle and membership after its answer', async () => {
    const arbiter = slowly();
    const { world, alice, bob, id } = await started(arbiter);
    const call = watch(alice.call('post', text(id, 'x')));
    const late = watch(bob.call('post', text(id, 'y')));
    await world.settle();
    await world.answer(world.hub.hideParticipant(id, 'alice'));
    arbiter.waiting[0]?.(true);
    await world.settle();
    expect(call).toMatchObject({ state: 'refused', value: { code: 'not_your_turn' } });
    await world.answer(bob.call('close_session', { session_id: id }));
    world.hub.evictIdle();
    arbiter.waiting[1]?.(true);
    await world.settle();
    expect(late).toMatchObject({ state: 'refused', value: { code: 'session_closed' } });
  });

  it.each([
    ['outbound names', 'alice', { access: { outbound_to: [] } }, ['forbidden', 'forbidden']],
    ['depth', 'alice', { limits: { delegation_depth: 0 } }, ['forbidden', 'forbidden']],
    ['a rate', 'alice', { limits: { rate: { per_minute: 1, burst: 1 } } }, ['accepted', 'rate_limited']],
    ['an inbox', 'bob', { limits: { inbox: { max_pending: 1 } } }, ['accepted', 'inbox_full']],
  ] as const)(
    '[AR2, RU6, RU7, RU8] applies a rule that changed while it decided: %s',
    async (_what, who, rule, codes) => {
      const waiting: ((verdict: boolean) => void)[] = [];
      const authorizeInbox = () => new Promise<boolean>((resolve) => waiting.push(resolve));
      const { world, alice, bob, id: parent } = await started({ authorizeInbox });
      const id = await opened(world, alice, [bob], { parent_session_id: parent });
      bob.acks = false;
      const calls = ['1', '2'].map((words) => watch(alice.call('post', text(id, words))));
      await world.settle();
      expect(waiting).toHaveLength(2);
      await world.answer((who === 'alice' ? alice : bob).call('set_rule', { rule }));
      for (const answer of waiting) answer(true);
      await world.settle();
      const outcomes = calls.map(({ state, value }) => (state === 'answered' ? 'accepted' : (value as Refusal).code));
      expect(outcomes).toEqual(codes);
    },
  );

  const broken: readonly (readonly [string, () => never])[] = [
    ['throws', () => JSON.parse('{') as never],
    ['rejects', () => Promise.reject(new Error('oops')) as never],
    ['answers nonsense', () => ({ ok: true }) as never],
    ['answers nothing', () => undefined as never],
  ];

  it.each(broken)('[AR3, L8] that %s denies, and is logged, reported and audited', async (_what, answer) => {
    const logged: string[] = [];
    const log = { info() {}, warn() {}, error: (message: string) => void logged.push(message) };
    let isBroken = false;
    const arbiter = Object.fromEntries(
      MEMBERS.map((member) => [member, (ask: never) => (isBroken ? answer() : ruleArbiter[member](ask))]),
    );
    const { world, alice, bob, id } = await aConversation({}, { arbiter, log });
    isBroken = true;
    const before = logOf(world.store, id);
    const create = (name: string) => alice.call('create_session', { type: 'conversation', participants: [name] });
    await refused(world, say(world, alice, id, 'x'), 'forbidden');
    await refused(world, create('bob'), 'forbidden');
    await refused(world, create('zoe'), 'invalid_create');
    await refused(world, world.stranger().call('register', { name: 'dan' }), 'forbidden');
    expect(logOf(world.store, id)).toEqual(before);
    expect(logged).toContain('the arbiter failed in authorizeSend');
    expect((await world.hub.audit()).filter(({ kind }) => kind === 'arbiter_failed').length).toBeGreaterThan(3);
    isBroken = false;
    await say(world, bob, id, 'working again');
  });

  it('[AR4] withheld envelopes count as acked and leave no gap', async () => {
    for (const isAsync of [false, true]) {
      const authorizeDelivery: Arbiter['authorizeDelivery'] = ({ envelope }) => {
        const verdict = envelope.event_data.text !== 'secret';
        return isAsync ? Promise.resolve(verdict) : verdict;
      };
      const { world, alice, bob, id } = await started({ authorizeDelivery });
      await say(world, alice, id, 'one');
      const { seq } = await say(world, alice, id, 'secret');
      await say(world, alice, id, 'two');
      expect(bob.seqs(id)).not.toContain(seq);
      const texts = bob.notifies(id).map(({ envelope }) => envelope.event_data.text);
      expect(texts.filter((words) => words !== undefined)).toEqual(['one', 'two']);
      expect(bob.notifies(id).at(-1)?.prev_seq).toBe(bob.seqs(id).at(-2));
      expect(await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }))).toMatchObject({
        state: 'CLOSED',
      });
    }
  });

  it('[AR3, AR4, L8] a failure for one recipient does not affect the others', async () => {
    const authorizeDelivery: Arbiter['authorizeDelivery'] = ({ to }) => {
      if (to.name === 'bob') throw new Error('oops');
      return true;
    };
    const { world, alice, bob, carol, id } = await aPanel({}, {}, { arbiter: { authorizeDelivery } });
    const seqs = [(await say(world, alice, id, '1')).seq, (await say(world, alice, id, '2')).seq];
    expect(carol.seqs(id).slice(-2)).toEqual(seqs);
    expect(bob.seqs(id).some((seq) => seqs.includes(seq))).toBe(false);
    expect((await world.hub.audit()).filter(({ kind }) => kind === 'arbiter_failed')).toHaveLength(2);
  });

  it('[AR4] decides for each recipient; a named one, or all, must accept', async () => {
    const arbiter: Partial<Arbiter> = { authorizeInbox: async ({ to }) => to.name !== 'bob' };
    const { world, alice, bob, carol, id } = await aPanel({}, {}, { arbiter });
    await say(world, alice, id, 'all');
    const both = { audience: [bob.agentId, carol.agentId] };
    await refused(world, say(world, alice, id, 'bob', both), 'forbidden');
    const pair = await opened(world, alice, [bob]);
    await refused(world, say(world, alice, pair, 'bob'), 'forbidden');
  });

  it('[AR1, AM2] is not asked about a non-participant’s post', async () => {
    const asked: unknown[] = [];
    const { world, id } = await started({ authorizeSend: (ask) => asked.push(ask) > 0 });
    await refused(world, say(world, await world.peer('carol'), id, 'x'), 'not_found');
    expect(asked).toEqual([]);
  });

  it.each([
    ['arbiter', 7],
    ['arbiter.authorizeSend', { authorizeSend: true }],
    ['arbiter.authorizeEverything', { authorizeEverything: () => true }],
  ])('[AR1] an invalid %s is rejected at the start', async (name, arbiter) => {
    const { world } = await aPanel();
    const options = { store: world.store, clock: world.clock, ids: world.ids, adapters: [], arbiter: arbiter as never };
    await expect(Hub.start(options)).rejects.toThrow(`${name}: `);
  });
});
