/** A member: opens, joins, posts, takes turns and closes through the client library, and keeps a journal. */

import { setTimeout as pause } from 'node:timers/promises';
import { type AgentClient, connect, type Session } from 'parley-hub';
import { WireError } from 'parley-hub/core';
import { type Random, seededRandom } from '../../src/testing/lib/random.ts';
import { Account } from './account.ts';
import type { FromMembers, MemberPlan } from './messages.ts';

/** Its own sessions at the same time. */
const MOST_OPEN = 3;
const TYPES = ['conversation', 'conversation', 'consulting', 'discussion'] as const;
/** How soon it notices a lost frame. */
const QUIET_MS = 500;
/** A permanent rejection. */
const FINAL = ['session_closed', 'not_your_turn', 'protocol_error', 'not_found', 'forbidden', 'conflict'];

export class Member {
  readonly #plan: MemberPlan;
  readonly #others: readonly string[];
  readonly #account: Account;
  readonly #random: Random;
  readonly #tell: (message: FromMembers) => void;
  readonly #working = new Set<Promise<void>>();
  #client: Promise<AgentClient>;
  #isFinishing = false;
  #isLeaving = false;

  constructor(
    plan: MemberPlan,
    names: readonly string[],
    { forgets, tell }: { readonly forgets: boolean; readonly tell: (message: FromMembers) => void },
  ) {
    this.#plan = plan;
    this.#others = names.filter((name) => name !== plan.name);
    this.#tell = tell;
    this.#account = new Account(plan.journal, forgets, () => tell({ kind: 'moved' }));
    this.#random = seededRandom(plan.seed);
    this.#client = this.#join();
  }

  /** Runs until told to finish, then ends everything it began. */
  async run(): Promise<void> {
    for (const key of [...this.#account.openings.keys()]) this.#work(this.#open(key));
    await this.#repeat();
    while (!this.#isFinishing) {
      this.#step();
      await pause(1 + this.#random.below(10));
      while (this.#working.size > 4 * this.#plan.depth) await Promise.race(this.#working);
    }
    while (this.#working.size > 0) await Promise.all(this.#working);
    for (const session of this.#account.mine()) await this.#close(session);
  }

  finish(): void {
    this.#isFinishing = true;
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    (await this.#client).close();
  }

  #step(): void {
    const { going, mine, openings } = {
      going: this.#account.going('conversation'),
      mine: this.#account.mine(),
      openings: this.#account.openings.size,
    };
    if (openings === 0 && mine.length < MOST_OPEN) return this.#work(this.#open(this.#newOpening()));
    if (mine.length > 0 && this.#random.chance(0.03)) return this.#work(this.#close(this.#random.pick(mine)));
    if (going.length === 0) return;
    const session = this.#random.pick(going);
    const inFlight = [...this.#account.unanswered.values()].filter((one) => one === session).length;
    if (inFlight < this.#plan.depth) this.#work(this.#post(session, this.#newKey()));
  }

  #newKey(): string {
    return `${this.#plan.name}-${this.#account.count}`;
  }

  /** Repeats unanswered requests of the process before, in the same order. */
  async #repeat(): Promise<void> {
    for (const [key, session] of [...this.#account.unanswered]) await this.#send(session, key);
  }

  #newOpening(): string {
    const type = this.#random.pick(TYPES);
    const first = this.#random.below(this.#others.length);
    const count = type === 'discussion' ? Math.min(2, this.#others.length) : 1;
    const names = Array.from({ length: count }, (_, i) => this.#others[(first + i) % this.#others.length] ?? '');
    const key = this.#newKey();
    this.#account.write({ at: 'opening', key, type, names });
    return key;
  }

  async #open(key: string): Promise<void> {
    const { type, names } = this.#account.openings.get(key) ?? { type: '', names: [] };
    const knobs = type === 'discussion' ? { rounds: 4 } : {};
    await this.#persist(
      async (client) => {
        const { id } = await client.open(type, { participants: [...names], knobs, key });
        this.#account.write({ at: 'opened', key, session: id });
      },
      (code) => this.#account.write({ at: 'not_opened', key, code }),
    );
  }

  async #post(session: string, key: string): Promise<void> {
    this.#account.write({ at: 'posting', session, key });
    await this.#send(session, key);
  }

  async #send(session: string, key: string): Promise<void> {
    await this.#persist(
      async (client) => {
        const { seq } = await client.session(session).send(key, { key });
        this.#account.write({ at: 'acked', session, key, seq });
      },
      (code) => this.#account.write({ at: 'refused', session, key, code }),
    );
  }

  async #close(session: string): Promise<void> {
    await this.#persist(
      async (client) => {
        await client.session(session).close();
        this.#account.write({ at: 'closing', session });
      },
      // It has been ended elsewhere.
      () => {},
    );
  }

  /** Until it succeeded or was rejected for good: an ended client is replaced. */
  async #persist(work: (client: AgentClient) => Promise<void>, refused: (code: string) => void): Promise<void> {
    for (;;) {
      const client = await this.#client;
      try {
        return await work(client);
      } catch (thrown) {
        if (thrown instanceof WireError && FINAL.includes(thrown.code)) return refused(thrown.code);
        if (client.state === 'closed' && this.#isLeaving) return;
        await pause(20);
      }
    }
  }

  #work(done: Promise<void>): void {
    const tracked = done.finally(() => this.#working.delete(tracked));
    this.#working.add(tracked);
  }

  /** We repeat the first connection; after that the library reconnects. */
  async #join(): Promise<AgentClient> {
    const { name, url } = this.#plan;
    for (;;) {
      try {
        const client = await connect(url, {
          name,
          reconnect: { minMs: 20, maxMs: 500, quietMs: QUIET_MS },
          onMessage: ({ envelope: { seq }, text }, { id }) => this.#received(id, seq, text),
          onTurn: (_turn, session) => this.#takeTurn(session),
          onEvent: ({ event_type }, session) => this.#happened(event_type, session),
        });
        void client.closed.then((end) => this.#ended(JSON.stringify(end)));
        return client;
      } catch {
        await pause(20);
      }
    }
  }

  #ended(why: string): void {
    if (this.#isLeaving) return;
    this.#tell({ kind: 'ended', why: `${this.#plan.name}: ${why}` });
    this.#client = this.#join();
  }

  #received(session: string, seq: number, key: string): void {
    if (!this.#account.hasReceived(session, seq)) this.#account.write({ at: 'received', session, seq, key });
  }

  /** A turn is answered under the same key, even by the next process. */
  async #takeTurn(session: Session): Promise<void> {
    const { turn } = session;
    if (turn === null || this.#isFinishing) return;
    const key = `${this.#plan.name}-${session.id}-${turn.since_seq}`;
    if (this.#account.unanswered.has(key)) return;
    await this.#post(session.id, key);
  }

  #happened(type: string, session: Session): void {
    const known = this.#account.sessions.get(session.id);
    if (type === 'session.opened' && known === undefined) this.#joined(session).catch(() => {});
    if (type === 'session.closing' && known !== undefined) known.isClosing = true;
    const isOver = type === 'session.closed' || type === 'session.expired';
    if (isOver && known?.isClosed !== true) this.#account.write({ at: 'closed', session: session.id });
  }

  async #joined(session: Session): Promise<void> {
    const { session: metadata } = await session.info();
    this.#account.write({ at: 'joined', session: session.id, type: metadata.manifest.type });
  }
}
