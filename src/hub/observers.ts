/** Who observes which session: the tap of a log. It ends with the binding, the grant or the session, or when it is asked to. */

import type { Entry } from '../core/records/session/envelope.ts';
import { WireError } from '../core/lib/errors.ts';
import { encodeFrame, errorRecord } from '../core/protocol/frames/frame-codec.ts';
import type { SessionState } from '../core/state/state.ts';
import type { Binding } from './bindings.ts';
import { Observation } from './observation.ts';
import type { HubParts } from './parts.ts';

export class Observers {
  private readonly parts: HubParts;
  private readonly bySession = new Map<string, Set<Observation>>();
  /** How many each connection has. */
  private readonly counts = new Map<string, number>();

  constructor(parts: HubParts) {
    this.parts = parts;
    parts.events.on('agentGranted', ({ passport }) => this.grantsChanged(passport.agent_id));
  }

  /** Nothing is sent before `begin`. Who observes the session already begins anew. */
  add(binding: Binding, { head }: SessionState, from: { readonly epoch: number; readonly afterSeq: number }): void {
    const { session_id } = head;
    this.remove(binding, session_id);
    const { endpointId } = binding.endpoint;
    const { maxSubscriptions } = this.parts.limits;
    const count = this.counts.get(endpointId) ?? 0;
    if (count >= maxSubscriptions) {
      const message = `one connection observes at most ${maxSubscriptions} sessions; unsubscribe from one first`;
      throw new WireError('too_large', message, { expected: `at most ${maxSubscriptions}` });
    }
    this.counts.set(endpointId, count + 1);
    const over = (): void => this.remove(binding, session_id);
    const observation = new Observation(this.parts, binding, head, from, over);
    binding.observations.set(session_id, observation);
    const others = this.bySession.get(session_id);
    if (others === undefined) this.bySession.set(session_id, new Set([observation]));
    else others.add(observation);
  }

  /** Its answer has left. */
  begin(binding: Binding, sessionId: string): void {
    binding.observations.get(sessionId)?.begin();
  }

  remove(binding: Binding, sessionId: string): void {
    const observation = binding.observations.get(sessionId);
    if (observation === undefined) return;
    observation.stop();
    binding.observations.delete(sessionId);
    const others = this.bySession.get(sessionId);
    others?.delete(observation);
    if (others?.size === 0) this.bySession.delete(sessionId);
    const { endpointId } = binding.endpoint;
    const left = (this.counts.get(endpointId) ?? 1) - 1;
    if (left > 0) this.counts.set(endpointId, left);
    else this.counts.delete(endpointId);
  }

  /** The binding is over, and all it observed with it. */
  removeAll(binding: Binding): void {
    for (const sessionId of [...binding.observations.keys()]) this.remove(binding, sessionId);
  }

  /** What just became durable. */
  publish(entries: readonly Entry[], { head }: SessionState, epoch: number): void {
    const observing = this.bySession.get(head.session_id);
    if (observing === undefined) return;
    for (const observation of [...observing]) observation.wake(head, epoch, entries);
  }

  /** Those who hear of it at the moment. */
  *of(sessionId: string): Iterable<Observation> {
    for (const observation of this.bySession.get(sessionId) ?? []) if (observation.hasBegun) yield observation;
  }

  /** Who may observe no longer is told, and hears nothing more. */
  private grantsChanged(agentId: string): void {
    const binding = this.parts.bindings.of(agentId);
    if (binding === undefined || this.parts.registry.holds(agentId, 'observe')) return;
    for (const session_id of [...binding.observations.keys()]) {
      this.remove(binding, session_id);
      const message = `you observe session ${session_id} no longer: the grant "observe" was taken back`;
      const error = errorRecord(new WireError('forbidden', message, { session_id, observed: true }));
      binding.send(encodeFrame({ kind: 'error', error }));
    }
  }
}
