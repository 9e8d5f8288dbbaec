// Random histories on a simulated disk: redacted content never reappears and nothing else of a session changes, through evictions,
// restarts, lost indexes, archives and interrupted archives.

import { CONDITIONS, sequence, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import { expect } from 'vitest';
import { Hub } from '../../../src/hub/hub.ts';
import type { DurableStore } from '../../../src/store/durable-store.ts';
import { MemoryIndex } from '../../../src/store/index/memory-index.ts';
import { Peer } from '../../../src/testing/doubles/peer.ts';
import { SimClock } from '../../../src/testing/doubles/sim-clock.ts';
import { seededIds } from '../../../src/testing/doubles/world.ts';
import { type Random, seededRandom } from '../../../src/testing/lib/random.ts';
import { openSimStore } from '../../store/sim-store.ts';
import { SimDisk } from '../../support/sim-disk.ts';
import { itDeep, runs } from '../../support/size.ts';
import { ADAPTERS, EXPECTATIONS } from '../scene.ts';

const LATER = '2999-01-01T00:00:00.000Z';
const HISTORIES = runs(40);
const STEPS = 40;

interface Said {
  readonly session_id: string;
  readonly seq: number;
  readonly mark: string;
  readonly key: string;
  readonly type: string;
  isRedacted: boolean;
}

class History {
  readonly random: Random;
  readonly said: Said[] = [];
  readonly ended = new Set<string>();
  private readonly disk = new SimDisk();
  private readonly clock = new SimClock();
  private readonly ids;
  private index = new MemoryIndex();
  private sessions: string[] = [];
  private store!: DurableStore;
  private hub!: Hub;
  private alice!: Peer;
  private bob!: Peer;
  private states = new Map<string, unknown>();
  counts = { redacted: 0, refused: 0, archived: 0, cut: 0 };

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.ids = seededIds(seed);
  }

  async start(): Promise<void> {
    ({ store: this.store } = await openSimStore(this.disk, { index: this.index }));
    const options = { adapters: [...ADAPTERS, workflow], conditions: CONDITIONS, targets: TARGETS, ...EXPECTATIONS };
    const limits = { snapshotLength: 3, tailLength: 4 };
    this.hub = await Hub.start({ store: this.store, clock: this.clock, ids: this.ids, ...options, limits });
    this.alice = await this.peer('alice');
    this.bob = await this.peer('bob');
  }

  async restart(index: 'kept' | 'lost'): Promise<void> {
    await this.hub.stop();
    this.index = index === 'lost' ? new MemoryIndex() : new MemoryIndex(this.index.copy());
    await this.start();
  }

  async step(): Promise<void> {
    const { random } = this;
    const what = random.below(20);
    if (this.sessions.length < 2 || what === 0) await this.open();
    else if (what < 9) await this.say();
    else if (what < 13) await this.redact();
    else if (what === 13) this.hub.evictIdle();
    else if (what === 14) await this.restart('kept');
    else if (what === 15) await this.restart('lost');
    else if (what === 16) await this.archive();
    else if (what === 17) await this.cutArchive();
    else if (what === 18) await this.repeat();
    else await this.end();
    await this.check();
  }

  private async peer(name: string): Promise<Peer> {
    const one = new Peer(this.hub.connect());
    one.acks = true;
    one.hello(name);
    await one.call('health', {});
    if (one.agentId === '') await one.call('register', { name });
    return one;
  }

  private async open(): Promise<void> {
    const isGraph = this.random.below(2) === 0;
    const params = isGraph
      ? { type: 'workflow', knobs: { graph: sequence(['alice', 'bob']) } }
      : { type: 'conversation' };
    const { session } = await this.alice.call('create_session', { ...params, participants: ['bob'], wait: 'created' });
    await this.bob.call('ack_invite', { session_id: session.session_id });
    this.sessions.push(session.session_id);
    await this.learn(session.session_id);
  }

  private live(): string | undefined {
    const live = this.sessions.filter((id) => !this.ended.has(id));
    return live[this.random.below(Math.max(1, live.length))];
  }

  private async say(): Promise<void> {
    const session_id = this.live();
    if (session_id === undefined) return;
    const { session } = await this.alice.call('get_session', { session_id });
    const key = `k${this.said.length}`;
    const mark = `mark-${String(this.said.length).padStart(6, '0')}`;
    const isContext = session.manifest.type === 'workflow';
    const type = isContext ? 'context.set' : 'msg.text';
    const data = isContext ? { set: { [`slot${this.random.below(2)}`]: mark } } : { text: mark };
    const posted = { session_id, event_type: type, event_data: data, idempotency_key: key };
    const { seq } = await this.alice.call('post', posted);
    this.said.push({ session_id, seq, mark, key, type: JSON.stringify(posted), isRedacted: false });
    await this.learn(session_id);
  }

  private one(): Said | undefined {
    return this.said[this.random.below(Math.max(1, this.said.length))];
  }

  private async redact(): Promise<void> {
    const one = this.one();
    if (one === undefined) return;
    try {
      await this.hub.redact(one.session_id, one.seq);
      this.counts.redacted += 1;
      one.isRedacted = true;
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'conflict' });
      this.counts.refused += 1;
    }
  }

  private async repeat(): Promise<void> {
    const one = this.one();
    if (one === undefined) return;
    expect(await this.alice.call('post', JSON.parse(one.type))).toMatchObject({ seq: one.seq, duplicate: true });
  }

  private async end(): Promise<void> {
    const session_id = this.live();
    if (session_id === undefined) return;
    await this.alice.call('close_session', { session_id, wait: 'closed' });
    this.ended.add(session_id);
    await this.learn(session_id);
  }

  private async archive(): Promise<void> {
    await this.store.archive({ endedBefore: LATER });
    this.counts.archived += 1;
    for (const { session_id, seq, mark, isRedacted } of this.said) {
      if (!isRedacted || !this.ended.has(session_id)) continue;
      expect(JSON.stringify(await this.store.read(session_id, { from_seq: seq, limit: 1 }))).not.toContain(mark);
    }
  }

  private async cutArchive(): Promise<void> {
    const died = this.disk.dieAfter(1 + this.random.below(60));
    const archived = this.store.archive({ endedBefore: LATER }).then(
      () => 'over',
      () => 'failed',
    );
    if ((await Promise.race([archived, died])) !== 'over') this.counts.cut += 1;
    this.disk.kill();
    this.index = new MemoryIndex(this.index.copy());
    await this.start();
  }

  private async stateOf(session_id: string): Promise<unknown> {
    const { session, turn, unavailable, public_state } = await this.alice.call('get_session', { session_id });
    return { session, turn, unavailable, public_state };
  }

  private async learn(session_id: string): Promise<void> {
    this.states.set(session_id, await this.stateOf(session_id));
  }

  private async check(): Promise<void> {
    for (const session_id of this.sessions) {
      expect(await this.stateOf(session_id)).toEqual(this.states.get(session_id));
      const { envelopes } = await this.alice.call('read_log', { session_id, limit: 500 });
      const log = JSON.stringify(envelopes);
      for (const one of this.said.filter((other) => other.session_id === session_id)) {
        expect([one.mark, log.includes(one.mark)]).toEqual([one.mark, !one.isRedacted]);
      }
    }
  }

  async finish(): Promise<void> {
    const verified = await this.store.verify({ checkSession: (id) => this.hub.checkSnapshot(id) });
    expect(verified.problems).toEqual([]);
    await this.hub.stop();
  }
}

itDeep(
  '[RD1, RD6, RD7, RD9] redacted content never reappears, and nothing else changes, whatever happens to the hub',
  async () => {
    const total = { redacted: 0, refused: 0, archived: 0, cut: 0 };
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const history = new History(seed);
      await history.start();
      for (let i = 0; i < STEPS; i++) {
        await history.step().catch((thrown: unknown) => {
          throw new Error(`history ${seed}, step ${i}: ${String(thrown)}`, { cause: thrown });
        });
      }
      await history.finish();
      for (const key of ['redacted', 'refused', 'archived', 'cut'] as const) total[key] += history.counts[key];
    }
    // The seeds are fixed, so every kind occurs.
    for (const count of Object.values(total)) expect(count).toBeGreaterThan(10);
  },
  120_000,
);
