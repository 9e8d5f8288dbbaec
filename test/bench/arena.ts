/** A hub over a data folder with open conversations, posting to it as a connection would. */

import { conversation } from 'parley-hub/adapters/conversation';
import { discussion } from 'parley-hub/adapters/discussion';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import type { Store } from '../../src/core/ports/store.ts';
import type { OperationName, Result } from '../../src/core/protocol/operations/operations.ts';
import type { Limits } from '../../src/core/records/access/limits.ts';
import type { ExpectationEntry } from '../../src/core/records/session/session.ts';
import type { Binding } from '../../src/hub/bindings/binding.ts';
import { Hub } from '../../src/hub/hub.ts';
import type { Rooms } from '../../src/hub/wiring.ts';
import { openStore } from '../../src/store/open-store.ts';
import { systemClock } from '../../src/system/clock.ts';
import { systemIds } from '../../src/system/ids.ts';

/** Typical agent sentences: an envelope of some 600 bytes. */
export const TEXT = 'The quick brown fox jumps over the lazy dog, and then it thinks about what it has done. '.repeat(
  2,
);

const LONG = '3650d';

export class Arena {
  readonly hub: Hub;
  readonly store: Store;
  readonly rooms: Rooms;
  #posted = 0;

  private constructor(hub: Hub, store: Store) {
    this.hub = hub;
    this.store = store;
    // The rooms are private to the hub; the bench calls what a connection calls.
    this.rooms = (hub as unknown as { readonly rooms: Rooms }).rooms;
  }

  /** Recipients never ack here, so inboxes must never fill. */
  static async open(folder: string, limits: Partial<Limits> = {}): Promise<Arena> {
    const { store } = await openStore(folder);
    return new Arena(
      await Hub.start({
        store,
        clock: systemClock,
        ids: systemIds,
        adapters: [conversation, discussion],
        evaluators: EVALUATORS,
        handlers: HANDLERS,
        limits: { maxPending: 1e9, ...limits },
      }),
      store,
    );
  }

  /** A participant that ignores everything sent to it. */
  async join(name: string): Promise<Binding> {
    let passport = this.rooms.registry.named(name);
    if (passport === null) {
      const caller = { binding: null, proof: 'trusted' as const, bind() {} };
      passport = await this.rooms.operations.run(caller, 'register', { name });
    }
    return this.rooms.bindings.bind(
      passport,
      { endpointId: systemIds.hex32(), isBackpressured: false, send() {}, unbound() {} },
      {},
    );
  }

  leave(binding: Binding): void {
    this.rooms.bindings.unbind(binding, null);
  }

  perform<Name extends OperationName>(binding: Binding, op: Name, params: unknown): Promise<Result<Name>> {
    return this.rooms.operations.run({ binding, proof: 'trusted', bind() {} }, op, params);
  }

  converse(by: Binding, other: Binding): Promise<string> {
    return this.#open(by, other, { type: 'conversation' });
  }

  /** Opens a discussion of the two with alternating turns (default: the type's expectations). */
  discuss(by: Binding, other: Binding, expectations?: readonly ExpectationEntry[]): Promise<string> {
    return this.#open(by, other, { type: 'discussion', ...(expectations === undefined ? {} : { expectations }) });
  }

  post(by: Binding, sessionId: string | undefined): Promise<{ readonly seq: number }> {
    this.#posted += 1;
    // Clients add a key to every post.
    const idempotency_key = `bench-${this.#posted.toString(36)}`;
    const params = { session_id: sessionId, event_type: 'msg.text', event_data: { text: TEXT }, idempotency_key };
    return this.perform(by, 'post', params);
  }

  stop(): Promise<void> {
    return this.hub.stop();
  }

  async #open(by: Binding, other: Binding, what: object): Promise<string> {
    const asked = { ...what, participants: [other.name], ttl: LONG, wait: 'created' };
    const { session_id } = (await this.perform(by, 'create_session', asked)).session;
    await this.perform(other, 'ack_invite', { session_id });
    return session_id;
  }
}
