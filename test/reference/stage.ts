/** A hub with fixed ids and times, so that its frames can be quoted. */

import { createHash } from 'node:crypto';
import { consulting } from 'parley-hub/adapters/consulting';
import { conversation } from 'parley-hub/adapters/conversation';
import { discussion } from 'parley-hub/adapters/discussion';
import { CONDITIONS, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { SimClock, seededIds } from 'parley-hub/testing';
import { fullTranscript } from 'parley-hub/views/full-transcript';
import type { Secrets } from '../../src/core/ports/platform.ts';
import type { Grant } from '../../src/core/records/access/grants.ts';
import { Hub } from '../../src/hub/hub.ts';
import { MemoryStore } from '../../src/hub/log/memory-store.ts';
import { type HubServer, serve } from '../../src/server/serve.ts';
import { servedHub } from '../../src/server/served-hub.ts';
import { WirePeer } from './wire-peer.ts';

/** No chance, so no secrets: for nothing but examples. */
function countedSecrets(): Secrets {
  let made = 0;
  return {
    make() {
      made += 1;
      return `example-secret-${String(made).padStart(28, '0')}`;
    },
    digest: (secret) => createHash('sha256').update(secret).digest('hex'),
    same: (a, b) => a === b,
  };
}

export class Stage {
  readonly clock: SimClock = new SimClock();
  private readonly hub: Hub;
  private readonly port: HubServer;

  private constructor(clock: SimClock, hub: Hub, port: HubServer) {
    this.clock = clock;
    this.hub = hub;
    this.port = port;
  }

  static async open(): Promise<Stage> {
    const clock = new SimClock();
    const hub = await Hub.start({
      store: new MemoryStore(),
      clock,
      ids: seededIds(1),
      secrets: countedSecrets(),
      adapters: [consulting, conversation, discussion, workflow],
      conditions: CONDITIONS.slice(0, 2),
      targets: TARGETS.filter(({ name }) => name === 'agent' || name === 'terminate'),
      views: [fullTranscript],
      evaluators: EVALUATORS,
      handlers: HANDLERS,
    });
    const port = await serve(servedHub(hub), { port: 0 });
    return new Stage(clock, hub, port);
  }

  async token(label: string, grants: readonly Grant[]): Promise<string> {
    const made = await this.hub.tokens?.create({ label, grants }, null);
    return made?.token ?? '';
  }

  peer(): Promise<WirePeer> {
    return WirePeer.open(this.port.url);
  }

  /** Time passes, a second at a time. */
  pass(seconds: number): void {
    for (let left = seconds; left > 0; left -= 1) {
      this.clock.advance(1000);
      this.hub.sweep();
    }
  }

  async close(): Promise<void> {
    const stopped = this.hub.stop();
    await this.port.close();
    await stopped;
  }
}
