// A hub process is killed again and again at a random moment while its clients have posts in flight. In the end the clients'
// own journals are compared with the logs: nothing that was answered is lost, nothing is there twice or in another order.

import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Envelope } from '../../../src/core/records/session/envelope.ts';
import { COMMIT_AFTER_MS } from '../../../src/store/logs/appender.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { type Random, seededRandom } from '../../../src/testing/lib/random.ts';
import { envelope } from '../../support/sample-records.ts';
import { sharedScript } from '../../support/shared-script.ts';
import { runs } from '../../support/size.ts';
import { sharedFolder } from '../../support/temp-folder.ts';
import { type Account, readAccount } from './client-journal.ts';
import { HubProcess } from './hub-process.ts';
import { Writer } from './writer.ts';

const ROUNDS = Number(process.env.PARLEY_KILL_ROUNDS ?? runs(30, 6));
/** A test that finds something says its seed; the moments of a kill are the system's all the same. */
const SEED = Number(process.env.PARLEY_KILL_SEED ?? Date.now() % 1_000_000);
/** Two in each session, so that their posts mix. */
const NAMES = ['ann', 'ben', 'cat', 'dan'] as const;
/** Together always more than a hundred; a connection may have 64. */
const MIN_DEPTH = 30;
const DEPTHS = 25;

const built = sharedScript('test/server/processes/hub-child.ts');
const root = sharedFolder();

afterAll(() => HubProcess.endAll());

describe('a hub that is killed with posts in flight', () => {
  it(
    `[DS6, L1, L2, L5] ${ROUNDS} times: nothing that was answered is lost, nothing is doubled, nothing changed its order`,
    async () => {
      const random = seededRandom(SEED);
      const loop = new KillLoop(join(root.path, 'data'));
      const writers = NAMES.map((name) => new Writer(name, join(root.path, `${name}.journal`)));
      const inFlight: number[] = [];
      for (let round = 0; round < ROUNDS; round++) inFlight.push(await loop.round(writers, random));
      const logs = await loop.finish(writers);
      const accounts = new Map(NAMES.map((name) => [name as string, readAccount(join(root.path, `${name}.journal`))]));
      const verdict = compared(accounts, logs);
      const sorted = inFlight.toSorted((a, b) => a - b);
      const middle = sorted[Math.floor(sorted.length / 2)];
      const { posted, acked, found, lost, doubled, reordered } = verdict;
      console.log(
        `kill loop: rounds ${ROUNDS}, killed while opening ${loop.killedEarly}, posted ${posted}, acked ${acked}, found ${found}, ` +
          `lost ${lost.length}, doubled ${doubled.length}, reordered ${reordered.length}, ` +
          `in flight at kill min ${sorted[0]} median ${middle} (seed ${SEED})`,
      );
      expect({ lost, doubled, reordered, strange: verdict.strange }, `seed ${SEED}`).toEqual(NOTHING_WRONG);
      expect([acked, found]).toEqual([posted, posted]);
      expect(posted).toBeGreaterThan(ROUNDS * 100);
      expect(sorted[0]).toBeGreaterThanOrEqual(100);
      for (const { journal } of writers) journal.close();
    },
    120_000 + ROUNDS * 4_000,
  );

  it('[DS6] the comparison finds what is lost, doubled, reordered or was never sent', () => {
    const account = anAccount([1, 2, 3]);
    const check = (...log: readonly Envelope[]) => compared(new Map([['ann', account]]), [log]);
    expect(check(said(1, 0), said(2, 1), said(3, 2))).toMatchObject({ ...NOTHING_WRONG, found: 3 });
    expect(check(said(1, 0), said(3, 2))).toMatchObject({ lost: ['ann-1'], strange: ['seq 3 after 1'] });
    expect(check(said(1, 0), said(2, 2), said(3, 1))).toMatchObject({ lost: ['ann-1', 'ann-2'] });
    expect(check(said(1, 0), said(2, 1), said(3, 2), said(4, 1)).doubled).toEqual(['ann-1']);
    expect(check(said(1, 0), said(2, 1), said(3, 2), said(4, 7)).strange).toEqual(['ann-7 was never sent']);
    const swapped = compared(new Map([['ann', anAccount([1, 3, 2])]]), [[said(1, 0), said(2, 2), said(3, 1)]]);
    expect(swapped).toMatchObject({ ...NOTHING_WRONG, reordered: ['ann-2'] });
  });
});

const NOTHING_WRONG = { lost: [], doubled: [], reordered: [], strange: [] };

/** Posts 0, 1, 2 … of ann, which were answered with these seqs. */
function anAccount(seqs: readonly number[]): Account {
  const sent = seqs.map((_, number) => ({ key: `ann-${number}`, number }));
  const acked = seqs.map((seq, i) => ({ key: `ann-${i}`, seq, envelope_id: `id-${seq}` }));
  return { sent, acked: new Map(acked.map((answer) => [answer.key, answer])), contradictions: [] };
}

function said(seq: number, number: number): Envelope {
  const event_data = { text: `ann says ${number}` };
  return envelope({
    seq,
    envelope_id: `id-${seq}`,
    event_type: 'msg.text',
    idempotency_key: `ann-${number}`,
    event_data,
  });
}

class KillLoop {
  killedEarly = 0;
  readonly #folder: string;
  /** Loaded already, so that a round does not wait for it; holds nothing until asked to open. */
  #spare: HubProcess;
  #sessions: readonly string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    this.#spare = new HubProcess(built.path);
  }

  /** Gives the posts that were in flight when the process was killed. */
  async round(writers: readonly Writer[], random: Random): Promise<number> {
    // Recovery is killed too, now and then.
    if (random.chance(0.25)) await this.#killWhileOpening(random);
    const hub = this.#taken();
    const peers = await this.#joined(hub);
    let left = 1 + random.below(600);
    // Some live until the index has been written beside the posts, with what it keeps of long sessions.
    const notBefore = random.chance(0.2) ? performance.now() + COMMIT_AFTER_MS + 150 : 0;
    const sum = () => writers.reduce((total, { inFlight }) => total + inFlight, 0);
    let isOver = false;
    const inFlight = await new Promise<number>((resolve, onRefusal) => {
      const onAck = () => {
        left -= 1;
        if (left > 0 || isOver || performance.now() < notBefore) return;
        isOver = true;
        // Some time later within the same or a later turn: a write or a sync may be under way.
        const turns = random.below(4);
        afterTurns(turns, () => {
          resolve(sum());
          void hub.kill();
        });
      };
      for (const [i, writer] of writers.entries()) {
        const peer = peers[i];
        const session = this.#sessions[Math.floor(i / 2)];
        if (peer === undefined || session === undefined) throw new Error('everyone has a session');
        writer.start(peer, session, MIN_DEPTH + random.below(DEPTHS), random, { onAck, onRefusal });
      }
    });
    await hub.exited;
    for (const { journal } of writers) journal.sync();
    return inFlight;
  }

  /** Everyone repeats what is not answered; then the logs are read. */
  async finish(writers: readonly Writer[]): Promise<readonly (readonly Envelope[])[]> {
    const hub = this.#taken();
    const peers = await this.#joined(hub);
    for (const [i, writer] of writers.entries()) {
      const peer = peers[i];
      if (peer !== undefined) await writer.finish(peer, this.#sessions[Math.floor(i / 2)] ?? '');
    }
    const logs: (readonly Envelope[])[] = [];
    for (const [i, session] of this.#sessions.entries()) logs.push(await wholeLog(peers[i * 2], session));
    await hub.stop();
    await this.#spare.kill();
    return logs;
  }

  #taken(): HubProcess {
    const hub = this.#spare;
    this.#spare = new HubProcess(built.path);
    return hub;
  }

  async #killWhileOpening(random: Random): Promise<void> {
    const hub = this.#taken();
    await hub.loaded();
    void hub.tryOpen(this.#folder);
    await new Promise((resolve) => setTimeout(resolve, random.below(25)));
    await hub.kill();
    this.killedEarly += 1;
  }

  async #joined(hub: HubProcess): Promise<readonly Peer[]> {
    await hub.open(this.#folder);
    const peers: Peer[] = [];
    for (const name of NAMES) peers.push(await hub.peer(name));
    if (this.#sessions.length === 0) {
      this.#sessions = [await opened(peers[0], peers[1]), await opened(peers[2], peers[3])];
    }
    return peers;
  }
}

async function opened(creator: Peer | undefined, other: Peer | undefined): Promise<string> {
  if (creator === undefined || other === undefined) throw new Error('two make a session');
  const participants = [other.agentId];
  const params = { type: 'conversation', participants, wait: 'created', ttl: '0s' } as const;
  const { session } = await creator.call('create_session', params);
  await other.call('ack_invite', { session_id: session.session_id });
  return session.session_id;
}

async function wholeLog(peer: Peer | undefined, session_id: string): Promise<readonly Envelope[]> {
  const envelopes: Envelope[] = [];
  for (let from: number | null = 1; from !== null && peer !== undefined; ) {
    const page: { envelopes: readonly Envelope[]; next: number | null } = await peer.call('read_log', {
      session_id,
      from_seq: from,
    });
    envelopes.push(...page.envelopes);
    from = page.next;
  }
  return envelopes;
}

interface Verdict {
  readonly posted: number;
  readonly acked: number;
  readonly found: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly reordered: readonly string[];
  readonly strange: readonly string[];
}

/** From the clients' own journals and the logs alone. */
function compared(accounts: ReadonlyMap<string, Account>, logs: readonly (readonly Envelope[])[]): Verdict {
  const lost: string[] = [];
  const doubled: string[] = [];
  const reordered: string[] = [];
  const strange: string[] = [];
  const found = new Map<string, Envelope>();
  for (const log of logs) {
    for (const [i, { seq }] of log.entries()) {
      const before = log[i - 1]?.seq ?? seq - 1;
      if (seq !== before + 1) strange.push(`seq ${seq} after ${before}`);
    }
    for (const one of log.filter(({ event_type }) => event_type === 'msg.text')) {
      const key = one.idempotency_key ?? 'no key';
      if (found.has(key)) doubled.push(key);
      else found.set(key, one);
    }
  }
  for (const [name, { sent, acked, contradictions }] of accounts) {
    strange.push(...contradictions.map((key) => `${key} was answered in two ways`));
    let newest = 0;
    for (const { key, number } of sent) {
      const one = found.get(key);
      const answer = acked.get(key);
      if (one === undefined) {
        if (answer !== undefined) lost.push(key);
        continue;
      }
      if (one.event_data.text !== `${name} says ${number}`) strange.push(`${key} says something else`);
      if (answer !== undefined && (one.seq !== answer.seq || one.envelope_id !== answer.envelope_id)) {
        if (!doubled.includes(key)) lost.push(key);
      }
      if (one.seq < newest) reordered.push(key);
      newest = Math.max(newest, one.seq);
    }
  }
  const known = new Set([...accounts.values()].flatMap(({ sent }) => sent.map(({ key }) => key)));
  strange.push(...[...found.keys()].filter((key) => !known.has(key)).map((key) => `${key} was never sent`));
  const sum = (count: (account: Account) => number) => [...accounts.values()].reduce((all, one) => all + count(one), 0);
  const [posted, acked] = [sum(({ sent }) => sent.length), sum(({ acked }) => acked.size)];
  return { posted, acked, found: found.size, lost, doubled, reordered, strange };
}

function afterTurns(turns: number, run: () => void): void {
  if (turns === 0) run();
  else setImmediate(() => afterTurns(turns - 1, run));
}
