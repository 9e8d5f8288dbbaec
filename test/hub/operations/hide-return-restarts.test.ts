// A new hub on a reopened store: hidden participants can return, removed ones stay out, and nothing fires twice.

import { join } from 'node:path';
import { discussion } from 'parley-hub/adapters/discussion';
import type { Envelope, ExpectationEntry, Store, WireError } from 'parley-hub/core';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { turnWithin } from 'parley-hub/expectations/entries';
import { afterEach, describe, expect, it } from 'vitest';
import { Hub } from '../../../src/hub/hub.ts';
import { MemoryDisk } from '../../../src/hub/log/memory-disk.ts';
import { MemoryStore } from '../../../src/hub/log/memory-store.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { Peer } from '../../../src/testing/doubles/peer.ts';
import { SimClock } from '../../../src/testing/doubles/sim-clock.ts';
import { quiet, seededIds } from '../../../src/testing/doubles/world.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const SECOND = 1000;
const labs: Lab[] = [];

afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.hub.stop();
});

type Open = () => Promise<Store>;

const STORES: Readonly<Record<string, () => Promise<Open>>> = {
  'a memory store': async () => {
    const disk = new MemoryDisk();
    return async () => new MemoryStore({ disk });
  },
  'a data folder': async () => {
    const folder = tempFolder('hide');
    return async () => (await openStore(join(folder, 'data'), { segmentBytes: 256 * 1024 })).store;
  },
};

/** A hub on a slow store and a clock that stands still. */
class Lab {
  readonly clock = new SimClock();
  readonly ids = seededIds(5);
  hub!: Hub;
  store!: Store;
  private readonly open: Open;

  constructor(open: Open) {
    this.open = open;
    labs.push(this);
  }

  async start(): Promise<void> {
    this.store = await this.open();
    const { store, clock, ids } = this;
    this.hub = await Hub.start({
      store,
      clock,
      ids,
      adapters: [discussion],
      conditions: [],
      targets: [],
      views: [],
      evaluators: EVALUATORS,
      handlers: HANDLERS,
    });
  }

  async restart(): Promise<void> {
    await this.hub.stop();
    await this.start();
  }

  async peer(name: string): Promise<Peer> {
    const peer = new Peer(this.hub.connect());
    peer.acks = true;
    peer.hello(name);
    await until(() => peer.frames.length > 0);
    if (peer.agentId === '') void peer.ask('register', { name });
    await until(() => peer.agentId !== '');
    return peer;
  }

  async log(sessionId: string): Promise<readonly Envelope[]> {
    return (await this.store.read(sessionId, { from_seq: 1, limit: 1000 })).map(({ envelope }) => envelope);
  }

  /** Advances the clock; due firings are in the log afterwards. */
  async leap(ms: number): Promise<void> {
    this.clock.advance(ms);
    // Twice: the effects of the first check of a session must be done before another session is checked again.
    for (let i = 0; i < 2; i++) await this.controlFires();
  }

  /** A session with a ttl of one second expires in the next sweep, even within a grace period. */
  private async controlFires(): Promise<void> {
    const [yan, zoe] = [await this.peer('yan'), await this.peer('zoe')];
    const params = {
      type: 'discussion',
      participants: [zoe.agentId],
      expectations: [],
      wait: 'created',
      ttl: 1,
    } as const;
    const { session_id } = (await yan.call('create_session', params)).session;
    const before = (await this.log(session_id)).length;
    this.clock.advance(SECOND);
    this.hub.sweep();
    while ((await this.log(session_id)).length === before) await quiet();
  }
}

async function opened(by: Peer, others: readonly Peer[], expectations: readonly ExpectationEntry[]): Promise<string> {
  const participants = others.map(({ agentId }) => agentId);
  const params = { type: 'discussion', participants, expectations, wait: 'created', ttl: 0 } as const;
  const { session_id } = (await by.call('create_session', params)).session;
  for (const other of others) await other.call('ack_invite', { session_id });
  return session_id;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await quiet();
}

const NAMES = ['alice', 'bob', 'carol', 'dave'] as const;
type Cast = Record<(typeof NAMES)[number], Peer>;

async function gather(lab: Lab): Promise<Cast> {
  const cast = {} as Cast;
  for (const name of NAMES) cast[name] = await lab.peer(name);
  return cast;
}

function say(peer: Peer, session_id: string, text: string): Promise<unknown> {
  return peer.call('post', { session_id, event_type: 'msg.text', event_data: { text } });
}

const code = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'accepted',
    ({ code }: WireError) => code,
  );

/** The status of each participant, and the turn holder. */
async function standing(asker: Peer, session_id: string): Promise<string> {
  const { session, turn } = await asker.call('get_session', { session_id });
  const who = session.participants.map(({ name, status }) => `${name} ${status}`).join(', ');
  return `${session.state}: ${who}; ${session.participants.find(({ agent_id }) => agent_id === turn?.agent_id)?.name}`;
}

const fired = (log: readonly Envelope[]) =>
  log
    .filter(({ event_type }) => event_type === 'expectation.violated')
    .map(({ event_data }) => event_data.on_violation);

const OUT = 'ACTIVE: alice active, bob hidden, carol removed, dave active';

describe.each(Object.entries(STORES))('on %s', (_name, make) => {
  /** bob was warned and hidden, carol was warned and removed, and dave has the turn. */
  async function afterBoth() {
    const lab = new Lab(await make());
    await lab.start();
    const { alice, bob, carol, dave } = await gather(lab);
    const id = await opened(
      alice,
      [bob, carol, dave],
      [
        turnWithin(20, 'warn', { appliesTo: ['bob', 'carol'] }),
        turnWithin(40, 'hide', { appliesTo: ['bob'] }),
        turnWithin(40, 'remove', { appliesTo: ['carol'] }),
      ],
    );
    await say(alice, id, 'one');
    for (let i = 0; i < 4; i++) await lab.leap(20 * SECOND);
    expect(await standing(alice, id)).toBe(`${OUT}; dave`);
    expect(fired(await lab.log(id))).toEqual(['warn', 'hide', 'warn', 'remove']);
    return { lab, id };
  }

  it('[MB4, MB5, L3, L9, EX2] keeps participants hidden and removed, and fires nothing twice', async () => {
    const { lab, id } = await afterBoth();
    const before = await lab.log(id);
    for (let i = 0; i < 2; i++) {
      await lab.restart();
      await lab.leap(60 * SECOND);
      expect(await lab.log(id)).toEqual(before);
    }
    const { alice, bob, carol, dave } = await gather(lab);
    expect(await standing(alice, id)).toBe(`${OUT}; dave`);
    expect(await code(say(bob, id, 'me'))).toBe('not_your_turn');
    expect(await code(say(carol, id, 'me'))).toBe('forbidden');
    expect(await code(carol.call('return_to_session', { session_id: id }))).toBe('protocol_error');
    await say(dave, id, 'two');
    await say(alice, id, 'three');
    expect(await standing(alice, id)).toBe(`${OUT}; dave`);
    expect(fired(await lab.log(id))).toHaveLength(4);
  });

  it('[OPR3, MB4, L3, EX2] returns a hidden participant to its place after a restart, and its next wait fires again', async () => {
    const { lab, id } = await afterBoth();
    await lab.restart();
    const { bob } = await gather(lab);
    await bob.call('return_to_session', { session_id: id });
    await lab.restart();
    const { alice, dave } = await gather(lab);
    await say(dave, id, 'two');
    await say(alice, id, 'three');
    expect(await standing(alice, id)).toBe('ACTIVE: alice active, bob active, carol removed, dave active; bob');
    // After a start nothing fires during the grace period; then everything due does.
    await lab.leap(20 * SECOND);
    expect(fired(await lab.log(id)).slice(4)).toEqual([]);
    await lab.leap(10 * SECOND);
    expect(fired(await lab.log(id)).slice(4)).toEqual(['warn']);
    await lab.restart();
    // The warning has fired; the rest of the wait gets its grace period, then hides.
    await lab.leap(20 * SECOND);
    expect(fired(await lab.log(id)).slice(4)).toEqual(['warn']);
    await lab.leap(10 * SECOND);
    expect(fired(await lab.log(id)).slice(4)).toEqual(['warn', 'hide']);
    expect(await standing(await lab.peer('alice'), id)).toBe(`${OUT}; dave`);
  });

  it('[DL5, DL12, MB4, MB5] delivers everything missed to the hidden, and to the removed what came before the removal', async () => {
    const { lab, id } = await afterBoth();
    const removedAt = (await lab.log(id)).find(({ event_type }) => event_type.endsWith('removed'))?.seq;
    await lab.restart();
    const [alice, dave] = [await lab.peer('alice'), await lab.peer('dave')];
    await say(dave, id, 'two');
    await say(alice, id, 'three');
    await lab.restart();
    const { bob, carol } = await gather(lab);
    const { envelopes } = await carol.call('read_log', { session_id: id });
    expect(envelopes.at(-1)?.seq).toBe(removedAt);
    await until(() => bob.seqs(id).length === 2);
    const heard = bob.notifies(id).map(({ envelope }) => envelope.event_data.text);
    expect([heard, carol.seqs(id)]).toEqual([['two', 'three'], []]);
  });

  it('[OPR2, MB4] keeps what an operator did, and the grant', async () => {
    const lab = new Lab(await make());
    await lab.start();
    const { alice, bob, carol, dave } = await gather(lab);
    const id = await opened(alice, [bob, carol, dave], []);
    await lab.hub.grant('dave', ['operate']);
    await dave.call('hide_participant', { session_id: id, participant: 'alice', reason: 'rest' });
    await lab.restart();
    const again = await gather(lab);
    expect(await code(again.carol.call('remove_participant', { session_id: id, participant: 'bob' }))).toBe(
      'forbidden',
    );
    await again.dave.call('remove_participant', { session_id: id, participant: 'bob' });
    await lab.restart();
    const last = await gather(lab);
    expect(await standing(last.dave, id)).toBe('ACTIVE: alice hidden, bob removed, carol active, dave active; carol');
    await last.alice.call('return_to_session', { session_id: id });
    expect(await standing(last.dave, id)).toBe('ACTIVE: alice active, bob removed, carol active, dave active; carol');
  });
});
