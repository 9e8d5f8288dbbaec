// Past states: read_state at a seq returns what it returned when that seq was the newest.

import { CONDITIONS, roundRobin, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import { callTool, type JsonObject, type Result } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { FaultyStore } from '../../../src/testing/doubles/faulty-store.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { World } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, EXPECTATIONS, opened, refused } from '../scene.ts';

const SECRET = 'sk-live-0123456789abcdef';
const EXPECTED = [
  { name: 'turn_within', on_violation: 'warn', params: { seconds: 120 } },
  { name: 'reply_within', on_violation: 'warn', params: { seconds: 600 } },
] as const;

/** Rewrites its logs, in a new epoch, while a hub reads them. */
class RewrittenStore extends FaultyStore {
  private rewritten: readonly [before: string, now: string] | null = null;

  rewrite(before: string, now: string): void {
    this.rewritten = [before, now];
  }

  override async head(sessionId: string) {
    const stored = await super.head(sessionId);
    return stored === null || this.rewritten === null ? stored : { ...stored, epoch: stored.epoch + 1 };
  }

  override async read(...args: Parameters<FaultyStore['read']>) {
    const entries = await super.read(...args);
    if (this.rewritten === null) return entries;
    return JSON.parse(JSON.stringify(entries).replaceAll(...this.rewritten)) as typeof entries;
  }
}

async function scene(snapshotLength = 4, store = new FaultyStore()) {
  const world = await World.start({
    store,
    adapters: [...ADAPTERS, workflow],
    conditions: CONDITIONS,
    targets: TARGETS,
    ...EXPECTATIONS,
    limits: { snapshotLength },
  });
  const [alice, bob, carol] = [await world.peer('alice'), await world.peer('bob'), await world.peer('carol')];
  const olive = await world.peer('olive');
  await world.answer(world.hub.grant('olive', ['observe']));
  const ops = await world.peer('ops');
  await world.answer(world.hub.grant('ops', ['operate']));
  const id = await opened(world, alice, [bob, carol], {
    type: 'workflow',
    knobs: { graph: roundRobin(['alice', 'bob', 'carol']) as unknown as JsonObject },
    expectations: EXPECTED,
  });
  return { world, alice, bob, carol, olive, ops, id };
}

type State = Result<'read_state'>;
const at = (world: World, peer: Peer, session_id: string, at_seq?: number, participant?: string): Promise<State> =>
  world.answer(peer.call('read_state', { session_id, at_seq, participant }));

/** Without the members about the present. */
const then = ({ head_seq: _, ...state }: State) => state;

const packet = (context_updates: JsonObject, more: JsonObject = {}) => {
  const { event_type, event_data } = callTool('note', {});
  return { event_type, event_data: { ...event_data, context_updates, ...more } as JsonObject };
};

/** Everybody posts in turn, variables change, time passes, and carol is hidden and returns. */
async function play({ world, alice, bob, carol, olive, id }: Awaited<ReturnType<typeof scene>>, rounds: number) {
  const seen = new Map<number, State>();
  const look = async (): Promise<void> => {
    const state = await at(world, olive, id);
    seen.set(state.at_seq, state);
  };
  await look();
  const speakers = new Map([alice, bob, carol].map((peer) => [peer.agentId, peer]));
  for (let round = 0; round < rounds; round++) {
    const { turn } = await at(world, olive, id);
    const speaker = speakers.get(turn?.agent_id ?? '');
    if (speaker === undefined) throw new Error('nobody has the turn');
    const said = packet({ set: { round } }, { cost_usd: 0.25, usage: { fresh: 10, output: 5 } });
    await world.answer(speaker.call('post', { session_id: id, ...said }));
    await look();
    world.clock.advance(1_500);
    if (round === 2) await world.answer(world.hub.hideParticipant(id, 'carol'));
    if (round === 4) await world.answer(world.hub.returnParticipant(id, 'carol'));
    await look();
  }
  return seen;
}

describe('a past state', () => {
  it.each([4, 1_000])(
    '[CN8] is unchanged in memory, evicted and after a restart (snapshots from %i on)',
    async (length) => {
      const scened = await scene(length);
      const { world, id } = scened;
      const seen = await play(scened, 24);
      const last = Math.max(...seen.keys());
      expect(seen.get(last)).toMatchObject({
        cost_usd: 6,
        usage: { tokens: 360 },
        public_state: { context_vars: { round: 23 } },
      });
      for (const how of ['in memory', 'evicted', 'restarted'] as const) {
        if (how === 'evicted') world.hub.evictIdle();
        if (how === 'restarted') await world.restart();
        const olive = how === 'restarted' ? await world.peer('olive') : scened.olive;
        // Forwards step by step, then backwards.
        for (const seq of [...seen.keys(), ...[...seen.keys()].reverse()]) {
          const known = seen.get(seq) as State;
          const { expectations, next_deadline, ...rest } = then(await at(world, olive, id, seq));
          expect({ how, seq, rest }).toEqual({ how, seq, rest: strip(known) });
          expect(expectations.map(({ armed }) => armed)).toEqual(known.expectations.map(({ armed }) => armed));
          expect(next_deadline).toEqual(known.next_deadline);
        }
      }
    },
  );

  it('[CN8] is rejected beyond the head, and equals the present at the head', async () => {
    const { world, olive, id } = await scene();
    const { head_seq } = await at(world, olive, id);
    await refused(world, at(world, olive, id, head_seq + 1), 'bad_frame', 'params.at_seq');
    expect(await at(world, olive, id, head_seq)).toEqual(await at(world, olive, id));
  });

  it('[CN8] shows a participant nothing before it joined and after its removal', async () => {
    const { world, alice, carol, id } = await scene();
    const joined = (await at(world, carol, id)).at_seq;
    expect((await at(world, carol, id)).public_state).toMatchObject({ turn_count: 0 });
    expect((await at(world, carol, id, 2)).public_state).toEqual({});
    await world.answer(world.hub.removeParticipant(id, 'carol'));
    await world.answer(alice.call('post', { session_id: id, ...packet({ set: { later: 1 } }) }));
    const out = await at(world, carol, id);
    expect(out.at_seq).toBeLessThan(out.head_seq);
    expect(out.public_state).toEqual({});
    expect(JSON.stringify(out)).not.toContain('later');
    expect((await at(world, carol, id, joined)).public_state).toMatchObject({ turn_count: 0 });
  });

  it('[CN8, OB9] requires the grant to be read as another participant', async () => {
    const { world, alice, bob, olive, id } = await scene();
    const own = await at(world, bob, id);
    expect(await at(world, olive, id, undefined, 'bob')).toEqual(own);
    await refused(world, at(world, alice, id, undefined, 'bob'), 'forbidden');
    await refused(world, at(world, olive, id, undefined, 'nobody'), 'not_found');
  });

  it('[CN8, OB7] of a non-participant’s read is in the audit', async () => {
    const { world, olive, bob, id } = await scene();
    const looks = async () =>
      (await world.hub.audit({ limit: 1_000 })).filter(({ kind }) => kind === 'session_observed').length;
    await at(world, bob, id);
    expect(await looks()).toBe(0);
    await at(world, olive, id, 3);
    expect(await looks()).toBe(1);
  });

  it('[CN9] never contains redacted content, from memory, snapshots or the log; later states are shown', async () => {
    const { world, alice, bob, carol, olive, ops, id } = await scene();
    const say = (peer: Peer, context: JsonObject) =>
      world.answer(peer.call('post', { session_id: id, ...packet(context) }));
    const { seq } = await say(alice, { set: { key: SECRET } });
    await say(bob, { set: { key: 'gone' } });
    // It is cached before the redaction.
    expect((await at(world, olive, id, seq)).public_state).toMatchObject({ context_vars: { key: SECRET } });
    expect((await at(world, olive, id)).redactions).toBe(0);
    await world.answer(ops.call('redact', { session_id: id, seq }));
    await say(carol, { set: { more: 1 } });
    await say(alice, { set: { more: 2 } });
    for (const how of ['in memory', 'evicted', 'restarted'] as const) {
      if (how === 'evicted') world.hub.evictIdle();
      if (how === 'restarted') await world.restart();
      const looker = how === 'restarted' ? await world.peer('olive') : olive;
      const { head_seq } = await at(world, looker, id);
      for (const one of [undefined, 1]) expect((await at(world, looker, id, one)).redactions).toBe(1);
      for (let one = 1; one <= head_seq; one++) {
        const state = await at(world, looker, id, one);
        expect({ how, one, holds: JSON.stringify(state).includes(SECRET) }).toEqual({ how, one, holds: false });
        const isHidden = one >= seq && one < seq + 1;
        if (isHidden)
          expect(state).toMatchObject({ public_state: {}, unavailable: expect.stringContaining('redacted') });
      }
      expect((await at(world, looker, id, head_seq - 1)).public_state).toMatchObject({ context_vars: { more: 1 } });
      expect((await at(world, looker, id, seq - 1)).unavailable).toBe(null);
    }
  });

  it('[CN9] reports the number of redactions in this session', async () => {
    const { world, alice, bob, olive, ops, id } = await scene();
    const other = await opened(world, alice, [bob], { type: 'panel' });
    for (const [session_id, peer, text] of [
      [other, alice, 'elsewhere'],
      [id, alice, 'one'],
      [id, bob, 'two'],
    ] as const) {
      const { seq } = await world.answer(
        peer.call('post', { session_id, event_type: 'msg.text', event_data: { text } }),
      );
      await world.answer(ops.call('redact', { session_id, seq }));
    }
    expect((await at(world, olive, other)).redactions).toBe(1);
    for (const seq of [undefined, 1]) expect((await at(world, olive, id, seq)).redactions).toBe(2);
  });

  it('[CN8] follows the current epoch of the log', async () => {
    const store = new RewrittenStore();
    const { world, alice, bob, olive, id } = await scene(1_000, store);
    const { seq } = await world.answer(alice.call('post', { session_id: id, ...packet({ set: { key: 'first' } }) }));
    await world.answer(bob.call('post', { session_id: id, ...packet({ set: { more: 1 } }) }));
    expect((await at(world, olive, id, seq)).public_state).toMatchObject({ context_vars: { key: 'first' } });
    store.rewrite('first', 'other');
    world.hub.evictIdle();
    expect((await at(world, olive, id, seq)).public_state).toMatchObject({ context_vars: { key: 'other' } });
  });

  it('[CN9] shows a wait caused by a whisper to its agent and to observers', async () => {
    const { world, alice, bob, carol, olive, id } = await scene();
    const whisper = { event_type: 'aside.note', event_data: { text: 'psst' }, audience: [carol.agentId] };
    await world.answer(alice.call('post', { session_id: id, ...whisper }));
    const armed = async (peer: Peer) => {
      const { expectations } = await at(world, peer, id);
      return expectations.find(({ name }) => name === 'reply_within')?.armed.map(({ agent_id }) => agent_id) ?? [];
    };
    expect(await armed(olive)).toContain(carol.agentId);
    expect(await armed(carol)).toContain(carol.agentId);
    expect(await armed(bob)).not.toContain(carol.agentId);
  });
});

/** Expectations are compared separately. */
function strip({ head_seq: _head, expectations: _expectations, next_deadline: _next, ...rest }: State) {
  return rest;
}
