/** A client that keeps posts in flight, writes its own account of them, and repeats after a crash what was not answered. */

import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { Random } from '../../../src/testing/lib/random.ts';
import { ClientJournal, readAccount, type Sent } from './client-journal.ts';

/** So many posts are noted with one sync, before the first of them is sent. */
const NOTED_AHEAD = 64;
/** A careful client repeats what it has an answer for: it must be the same answer. */
const OLD_REPEATS = 5;

export interface Hears {
  readonly onAck: () => void;
  /** A hub that is alive has no reason to refuse. */
  readonly onRefusal: (error: Error) => void;
}

export class Writer {
  readonly name: string;
  readonly journal: ClientJournal;
  #inFlight = 0;
  /** Noted, and to be sent in this order. */
  #queue: Sent[] = [];
  #next = 0;

  constructor(name: string, path: string) {
    this.name = name;
    this.journal = new ClientJournal(path);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * Repeats a few that were answered long ago, then what is not answered in the order it was noted, and goes on with new
   * ones: always so many in flight.
   */
  start(peer: Peer, sessionId: string, depth: number, random: Random, { onAck, onRefusal }: Hears): void {
    const answeredBefore = this.#takeUp();
    if (answeredBefore.length > 0) {
      this.#queue.unshift(...Array.from({ length: OLD_REPEATS }, () => random.pick(answeredBefore)));
    }
    const send = () => {
      if (this.#queue.length === 0) this.#note();
      const post = this.#queue.shift();
      if (post !== undefined && !peer.closed) this.#post(peer, sessionId, post).then(answered, onRefusal);
    };
    const answered = () => {
      this.#inFlight -= 1;
      send();
      onAck();
    };
    for (let i = 0; i < depth; i++) send();
  }

  /** Nothing new: until everything that was noted is answered. */
  async finish(peer: Peer, sessionId: string): Promise<void> {
    this.#takeUp();
    for (let page = this.#queue.splice(0, 50); page.length > 0; page = this.#queue.splice(0, 50)) {
      await Promise.all(page.map((post) => this.#post(peer, sessionId, post)));
    }
  }

  /** Knows nothing but what its journal says; gives what was answered. */
  #takeUp(): readonly Sent[] {
    const { sent, acked } = readAccount(this.journal.path);
    this.#inFlight = 0;
    this.#next = sent.length;
    this.#queue = sent.filter(({ key }) => !acked.has(key));
    return sent.filter(({ key }) => acked.has(key));
  }

  #note(): void {
    const posts = Array.from({ length: NOTED_AHEAD }, (_, i) => {
      const number = this.#next + i;
      return { number, key: `${this.name}-${number}` };
    });
    this.#next += posts.length;
    this.journal.sent(posts);
    this.#queue.push(...posts);
  }

  /** Never settles if the hub is killed first. */
  async #post(peer: Peer, session_id: string, { key, number }: Sent): Promise<void> {
    this.#inFlight += 1;
    const event_data = { text: `${this.name} says ${number}` };
    const post = { session_id, event_type: 'msg.text', event_data, idempotency_key: key };
    const { seq, envelope_id } = await peer.call('post', post);
    this.journal.acked({ key, seq, envelope_id });
  }
}
