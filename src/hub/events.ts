/** The one tap: typed events, called after durability. Readers only count or enqueue; a throwing one is logged and ignored. */

import { EventEmitter } from 'eventemitter3';
import type { Envelope, Turn } from '../core/envelope.ts';
import { asError, type WireError } from '../core/errors.ts';
import type { Passport } from '../core/passport.ts';
import type { Log } from '../core/ports.ts';
import type { SessionMetadata } from '../core/session.ts';

export interface HubEvents {
  agentRegistered: { readonly passport: Passport };
  agentUnregistered: { readonly passport: Passport };
  /** It says something new about itself. */
  agentChanged: { readonly passport: Passport; readonly what: 'resume' | 'skill'; readonly version: number };
  agentBound: { readonly agent_id: string; readonly name: string; readonly binding: number };
  agentUnbound: { readonly agent_id: string; readonly name: string; readonly binding: number; readonly reason: string };
  /** Every envelope of every session, in seq order within a session. */
  envelopePosted: { readonly envelope: Envelope; readonly turn: Turn | null };
  sessionCreated: { readonly session: SessionMetadata };
  sessionOpened: { readonly session: SessionMetadata };
  sessionClosing: { readonly session: SessionMetadata };
  /** CLOSED or EXPIRED. */
  sessionEnded: { readonly session: SessionMetadata };
  sessionUnavailable: { readonly session_id: string; readonly reason: string };
  /** It was unavailable, and goes on. */
  sessionAvailable: { readonly session_id: string };
  operationRefused: {
    readonly op: string;
    readonly agent_id: string | null;
    readonly session_id: string | null;
    readonly error: WireError;
  };
  deliveryAcked: { readonly agent_id: string; readonly session_id: string; readonly seq: number };
  deliverySeen: { readonly agent_id: string; readonly session_id: string; readonly seq: number };
  deliveryFailed: {
    readonly agent_id: string;
    readonly session_id: string;
    readonly seq: number;
    readonly reason: string;
  };
  badFrame: { readonly agent_id: string | null; readonly error: WireError };
  storeFailed: { readonly error: Error };
}

export type HubEventName = keyof HubEvents;
/** All of them, for who subscribes by name. */
export const HUB_EVENTS: readonly HubEventName[] = [
  'agentRegistered',
  'agentUnregistered',
  'agentChanged',
  'agentBound',
  'agentUnbound',
  'envelopePosted',
  'sessionCreated',
  'sessionOpened',
  'sessionClosing',
  'sessionEnded',
  'sessionUnavailable',
  'sessionAvailable',
  'operationRefused',
  'deliveryAcked',
  'deliverySeen',
  'deliveryFailed',
  'badFrame',
  'storeFailed',
];

export type HubListener<Name extends HubEventName> = (event: HubEvents[Name]) => void;

export class Taps {
  private readonly emitter = new EventEmitter();
  private readonly log: Log;

  constructor(log: Log) {
    this.log = log;
  }

  /** Adds a listener; the result removes it. */
  on<Name extends HubEventName>(name: Name, listener: HubListener<Name>): () => void {
    this.emitter.on(name, listener);
    return () => void this.emitter.off(name, listener);
  }

  /** Somebody listens. */
  hears(name: HubEventName): boolean {
    return this.emitter.listenerCount(name) > 0;
  }

  emit<Name extends HubEventName>(name: Name, event: HubEvents[Name]): void {
    for (const listener of this.emitter.listeners(name)) {
      try {
        const result: unknown = listener(event);
        // An async listener is as free to fail as any other.
        if (result instanceof Promise) result.catch((thrown: unknown) => this.contain(name, thrown));
      } catch (thrown) {
        this.contain(name, thrown);
      }
    }
  }

  private contain(name: HubEventName, thrown: unknown): void {
    this.log.error(`a listener of ${name} threw`, { error: asError(thrown).message });
  }
}
