/** The sessions that a client observes. */

import { HubError, type WireError } from '../core/lib/errors.ts';
import type { ForwardedDelta, NotifyFrame } from '../core/protocol/frames/frame-codec.ts';
import { badValue } from '../core/lib/json.ts';
import { checkOptions } from './lib/option-checks.ts';
import {
  OBSERVE_OPTIONS,
  Observation,
  type ObservationEnd,
  type ObservationHost,
  type ObserveHandler,
  type ObserveOptions,
} from './operations/observation.ts';

export class Observations {
  private readonly host: Omit<ObservationHost, 'over'>;
  private readonly bySession = new Map<string, Observation>();

  constructor(host: Omit<ObservationHost, 'over'>) {
    this.host = host;
  }

  async add(sessionId: string, handler: ObserveHandler, options: ObserveOptions): Promise<Observation> {
    if (typeof handler !== 'function') throw badValue('handler', 'a function', handler);
    checkOptions(options, OBSERVE_OPTIONS);
    if (this.bySession.has(sessionId)) {
      throw new HubError('already_observed', `session ${sessionId} is observed already; stop that observation first`);
    }
    const observation = new Observation(this.hostOf(sessionId), sessionId, handler, options);
    this.bySession.set(sessionId, observation);
    await observation.start();
    return observation;
  }

  receive(frame: NotifyFrame): void {
    this.bySession.get(frame.envelope.session_id)?.receive(frame);
  }

  showed(delta: ForwardedDelta): void {
    this.bySession.get(delta.session_id)?.showed(delta);
  }

  rebound(): void {
    for (const observation of [...this.bySession.values()]) observation.rebound();
  }

  /** The hub does not let it go on. */
  refused(sessionId: string, error: WireError): void {
    this.bySession.get(sessionId)?.finish({ by: 'refusal', error });
  }

  finishAll(end: ObservationEnd): void {
    for (const observation of [...this.bySession.values()]) observation.finish(end);
  }

  private hostOf(sessionId: string): ObservationHost {
    const { host, bySession } = this;
    return {
      subscribe: (id, afterSeq) => host.subscribe(id, afterSeq),
      unsubscribe: (id) => host.unsubscribe(id),
      failed: (doing, id, error) => host.failed(doing, id, error),
      over: (observation) => {
        if (bySession.get(sessionId) === observation) bySession.delete(sessionId);
      },
      get isClosed() {
        return host.isClosed;
      },
    };
  }
}
