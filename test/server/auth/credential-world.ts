/** A hub with tokens and a simulated clock and disk, for one test. */

import type { Arbiter, JsonObject } from 'parley-hub/core';
import { onTestFinished } from 'vitest';
import { linkPair } from '../../../src/core/lib/link.ts';
import type { Credential } from '../../../src/core/records/access/credentials.ts';
import type { NewToken, TokenClaim } from '../../../src/core/records/access/tokens.ts';
import { Hub } from '../../../src/hub/hub.ts';
import type { Peer as Watched } from '../../../src/hub/registry/handshake.ts';
import type { Tokens } from '../../../src/hub/registry/tokens.ts';
import { systemSecrets } from '../../../src/system/ids.ts';
import { FaultyStore } from '../../../src/testing/doubles/faulty-store.ts';
import { Peer } from '../../../src/testing/doubles/peer.ts';
import { SimClock } from '../../../src/testing/doubles/sim-clock.ts';
import { quiet, seededIds } from '../../../src/testing/doubles/world.ts';

export interface ProvingOptions {
  readonly arbiter?: Partial<Arbiter>;
  /** How the port authenticates (default: the hub's tokens). */
  readonly judge?: (auth: JsonObject) => Credential | null | Promise<Credential | null>;
  readonly helloFailed?: Watched['helloFailed'];
}

export interface Proving {
  readonly hub: Hub;
  readonly store: FaultyStore;
  readonly clock: SimClock;
  readonly tokens: Tokens;
  /** The warnings of the log. */
  readonly warnings: readonly string[];
  settle(): Promise<void>;
  settled<T>(asked: Promise<T>): Promise<T>;
  made(claim: TokenClaim): Promise<NewToken>;
  /** A connection that has said hello. */
  greeted(name: string, token: string): Peer;
  registered(name: string, token: string): Promise<Peer>;
}

export async function proving({ arbiter = {}, judge, helloFailed }: ProvingOptions = {}): Promise<Proving> {
  const [store, clock] = [new FaultyStore(), new SimClock()];
  const warnings: string[] = [];
  const log = { info() {}, warn: (text: string) => void warnings.push(text), error() {} };
  const hub = await Hub.start({ store, clock, ids: seededIds(1), adapters: [], secrets: systemSecrets, arbiter, log });
  onTestFinished(() => hub.stop());
  // A hub with secrets has tokens.
  const tokens = hub.tokens as Tokens;
  const settle = async (): Promise<void> => {
    for (await quiet(); store.stagedUnits() > 0; await quiet()) store.sync();
  };
  const settled = async <T>(asked: Promise<T>): Promise<T> => {
    asked.catch(() => {});
    await settle();
    return asked;
  };
  const greeted = (name: string, token: string): Peer => {
    const [ours, theirs] = linkPair();
    const authenticate = judge ?? ((auth: JsonObject) => tokens.judge(auth.token));
    hub.accept(ours, { address: '', authenticate, bound() {}, helloFailed: helloFailed ?? (() => false) });
    const peer = new Peer(theirs);
    peer.send({ kind: 'hello', protocol: 1, name, auth: { scheme: 'token', token } });
    return peer;
  };
  return {
    hub,
    store,
    clock,
    tokens,
    warnings,
    settle,
    settled,
    made: (claim) => settled(tokens.create(claim, null)),
    greeted,
    async registered(name, token) {
      const peer = greeted(name, token);
      await settled(peer.ask('register', { name }));
      return peer;
    },
  };
}
