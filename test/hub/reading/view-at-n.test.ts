import fc from 'fast-check';
import type { SessionAdapter, View, ViewMessage, ViewRef } from 'parley-hub/core';
import { fullTranscript, named, sinceMyLastTurn, tokenBudget, windowedSummary } from 'parley-hub/views/refs';
import { expect, it } from 'vitest';
import { removeParticipant } from '../../../src/core/decisions/membership.ts';
import { type HubEventType, hubDraft } from '../../../src/core/records/session/envelope.ts';
import type { Head } from '../../../src/core/records/session/unit.ts';
import { foldHead } from '../../../src/core/state/fold-head.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { itDeep, runs } from '../../support/size.ts';
import { type PanelState, panelOf } from '../panel.ts';
import { roomsOf } from '../rooms-of.ts';
import { aWorld, foreignUnit, invited, logOf, text, VIEWS } from '../scene.ts';
import type { Shown } from './view-scene.ts';

/** Its default view depends on the number of active participants. */
const crowd: SessionAdapter<PanelState> = {
  ...panelOf('crowd', 1),
  defaultView: ({ participants, state }) => {
    const active = participants.filter(({ status }) => status === 'active').length;
    return state === 'ACTIVE' ? named(windowedSummary(active)) : fullTranscript();
  },
  render: ({ event_type, event_data }) => `${event_type}: ${String(event_data.text ?? event_data.detail)}`,
};

/** undefined = the default. */
const REFS: readonly (ViewRef | undefined)[] = [
  undefined,
  fullTranscript(),
  windowedSummary(2),
  named(windowedSummary(5)),
  tokenBudget(20),
  named(sinceMyLastTurn()),
];

type Step =
  | { readonly kind: 'say'; readonly who: number; readonly to: readonly number[] | null }
  | { readonly kind: 'join' | 'hide' | 'return' | 'remove' | 'foreign' | 'close'; readonly who: number }
  | { readonly kind: 'violate'; readonly who: number; readonly to: readonly number[] | null }
  | { readonly kind: 'evict' };

const who = fc.nat(3);
const to = fc.option(fc.uniqueArray(who, { maxLength: 3 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 14, arbitrary: fc.record({ kind: fc.constant('say' as const), who, to }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('violate' as const), who, to }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('join', 'hide', 'return', 'foreign'), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'close'), who }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'evict' as const }) },
);
const looked = fc.record({ who, ref: fc.nat(REFS.length - 1) });
const history = fc.array(fc.tuple(step, looked), { minLength: 1, maxLength: 30, size: 'max' });

const LIMITS = { tallyLength: 4, tailLength: 2, snapshotLength: 2, maxResponseBytes: 700 };

/** A view shown while its seq was the newest. */
interface Record {
  readonly name: string;
  readonly ref: ViewRef | undefined;
  readonly shown: Shown;
}

class Play {
  readonly records: Record[] = [];
  readonly world: World;
  readonly id: string;
  private peers: readonly Peer[];

  constructor(world: World, peers: readonly Peer[], id: string) {
    this.world = world;
    this.peers = peers;
    this.id = id;
  }

  async take(one: Step): Promise<void> {
    const { world, id } = this;
    const settled = (call: Promise<unknown>) => world.answer(call).catch(() => {});
    switch (one.kind) {
      case 'evict':
        return world.hub.evictIdle();
      case 'say': {
        const audience = one.to?.map((i) => this.peer(i).agentId) ?? null;
        return void (await settled(
          this.peer(one.who).call('post', text(id, `${NAMES[one.who]} says\n[bob]: x`, { audience })),
        ));
      }
      case 'violate': {
        const audience = one.to?.map((i) => this.peer(i).agentId) ?? null;
        return this.append('expectation.violated', { name: 'turn_within', detail: 'late' }, audience);
      }
      case 'join':
        return void (await settled(this.peer(one.who).call('ack_invite', { session_id: id })));
      case 'close':
        return void (await settled(this.peer(one.who).call('close_session', { session_id: id })));
      case 'hide':
        return this.append('session.participant.hidden', { agent_id: this.peer(one.who).agentId }, null);
      case 'return':
        return this.append('session.participant.returned', { agent_id: this.peer(one.who).agentId }, null);
      case 'remove':
        return this.decide((session) =>
          session.decide((state) => removeParticipant(state, this.peer(one.who).agentId, 'x')),
        );
      case 'foreign':
        if (logOf(world.store, id).some(({ event_type }) => event_type === 'session.closing')) return;
        world.store.foreignAppend(id, foreignUnit(world, id, { sender_id: this.peer(one.who).agentId }));
        // The hub notices another writer when it writes.
        return this.append('expectation.violated', { name: 'reply_within' }, []);
    }
  }

  /** Only to members in the right status: hub envelopes are not checked. */
  private append(
    type: HubEventType,
    data: { [key: string]: string },
    audience: readonly string[] | null,
  ): Promise<void> {
    return this.decide((session) =>
      session.decide(({ metadata, head }) => {
        const from = { 'session.participant.hidden': 'active', 'session.participant.returned': 'hidden' }[
          type as string
        ];
        const isLegal = from === undefined || head.members[data.agent_id ?? ''] === from;
        if (metadata.state !== 'ACTIVE' || !isLegal) return { kind: 'nothing', answer: null };
        return { kind: 'append', drafts: [hubDraft(this.id, type, data, audience)], answer: () => null };
      }),
    );
  }

  private async decide(work: Parameters<ReturnType<typeof roomsOf>['sessions']['use']>[1]): Promise<void> {
    await this.world.answer(roomsOf(this.world.hub).sessions.use(this.id, work)).catch(() => {});
  }

  /** Reads the view, compares it with the model, and records it. */
  async look(i: number, ref: ViewRef | undefined): Promise<void> {
    const peer = this.peer(i);
    const call = peer.call('read_view', { session_id: this.id, view: ref });
    const shown = await this.world.answer(call).catch(() => null);
    if (shown === null) return;
    const model = modelOf(this.world, this.id, peer.agentId, shown.view);
    if (shown.next === null) expect({ ...shown, view: null, next: null }).toEqual({ ...model, view: null, next: null });
    this.records.push({ name: NAMES[i] ?? '', ref, shown });
  }

  /** Reads every recorded view again. */
  async lookAgain(): Promise<void> {
    for (const { name, ref, shown } of this.records) {
      const peer = this.peer(NAMES.indexOf(name));
      const again = peer.call('read_view', { session_id: this.id, view: ref, at_seq: shown.at_seq });
      expect(await this.world.answer(again)).toEqual(shown);
    }
  }

  async restart(): Promise<void> {
    await this.world.restart();
    this.peers = await peersOf(this.world);
  }

  private peer(i: number): Peer {
    return this.peers[i] as Peer;
  }
}

const NAMES = ['alice', 'bob', 'carol', 'dave'];

async function peersOf(world: World): Promise<readonly Peer[]> {
  const peers: Peer[] = [];
  for (const name of NAMES) peers.push(await world.peer(name));
  return peers;
}

/** The expected view, computed from the whole log. */
function modelOf(world: World, id: string, agentId: string, { name, params }: ViewRef): Omit<Shown, 'view' | 'next'> {
  const log = logOf(world.store, id);
  const head = log.reduce<Head | null>((before, envelope) => foldHead(before, { envelope, turn: null }), null);
  const end = Math.min(log.length, head?.left[agentId] ?? Number.POSITIVE_INFINITY);
  const created = log[0]?.event_data.participants as unknown as readonly { agent_id: string; name: string }[];
  const nameOf = (sender: string) => created.find(({ agent_id }) => agent_id === sender)?.name ?? sender;
  const lines = log
    .filter(({ seq, event_type }) => seq <= end && /^(msg|expectation)\./.test(event_type))
    .filter(({ sender_id, audience }) => sender_id === agentId || audience === null || audience.includes(agentId))
    .map((envelope) => ({
      seq: envelope.seq,
      sender_id: envelope.sender_id,
      name: nameOf(envelope.sender_id),
      own: envelope.sender_id === agentId,
      text: crowd.render?.(envelope) ?? '',
      envelope,
    }));
  const view = VIEWS.find((one) => one.name === name) as View;
  const takes = view.window(params);
  const stop = lines.findLastIndex((line) => !takes(line)) + 1;
  const before = new Set(lines.slice(0, stop).map((line) => line.name));
  const earlier = { count: stop, names: [...NAMES, 'hub'].filter((one) => before.has(one)) };
  const messages: readonly ViewMessage[] = view.show(lines.slice(stop), earlier, params);
  return { messages, at_seq: end, earlier: stop };
}

async function aPlay(world: World, peers: readonly Peer[]): Promise<Play> {
  const [creator, ...others] = peers;
  const id = await invited(world, creator as Peer, others, { type: 'crowd', required_acks: 0 });
  // The last one may join later, or never.
  for (const other of others.slice(0, 2)) await world.answer(other.call('ack_invite', { session_id: id }));
  return new Play(world, peers, id);
}

const HISTORIES = runs(1000, 80);

itDeep(
  `[VW10, VW2, VW12] shows at seq N what was shown at N, in ${HISTORIES} random histories`,
  async () => {
    const world = await aWorld(LIMITS, { adapters: [crowd], views: VIEWS });
    const peers = await peersOf(world);
    const met = { records: 0, cut: 0, earlier: 0 };
    const property = fc.asyncProperty(history, async (steps) => {
      const play = await aPlay(world, peers);
      for (const [one, { who: i, ref }] of steps) {
        await play.take(one);
        await play.look(i, REFS[ref]);
      }
      await play.lookAgain();
      world.hub.evictIdle();
      await play.lookAgain();
      met.records += play.records.length;
      met.cut += play.records.filter(({ shown }) => shown.next !== null).length;
      met.earlier += play.records.filter(({ shown }) => shown.earlier > 0).length;
      expect(await world.hub.checkSnapshot(play.id)).toBeNull();
    });
    await fc.assert(property, { numRuns: HISTORIES });
    expect(met.records).toBeGreaterThan(3 * HISTORIES);
    expect(met.cut).toBeGreaterThan(0);
    expect(met.earlier).toBeGreaterThan(HISTORIES / 2);
  },
  240_000,
);

const RESTARTED = runs(60, 12);

it(`[VW10, VW12] shows it across restarts, in ${RESTARTED} random histories`, async () => {
  const property = fc.asyncProperty(history, fc.nat(30), async (steps, at) => {
    const world = await aWorld(LIMITS, { adapters: [crowd], views: VIEWS });
    const play = await aPlay(world, await peersOf(world));
    for (const [i, [one, { who: peer, ref }]] of steps.entries()) {
      if (i === at) await play.restart();
      await play.take(one);
      await play.look(peer, REFS[ref]);
    }
    await play.restart();
    await play.lookAgain();
    await world.hub.stop();
  });
  await fc.assert(property, { numRuns: RESTARTED });
}, 120_000);
