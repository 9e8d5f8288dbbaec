/** Requests on their way: which share a bound, and how those end that get no answer. */

import { WireError } from '../core/lib/errors.ts';
import type { OperationName } from '../core/operations.ts';

export interface OpenRequest {
  readonly id: string;
  readonly text: string;
  readonly op: OperationName;
  readonly lane: Lane;
  /** It may be sent again when its answer was lost. */
  repeatable: boolean;
  resolve(result: unknown): void;
  reject(error: WireError): void;
}

/** Requests that share a bound; those over it wait here, in order, each held by its caller. */
export interface Lane {
  readonly limit: number;
  open: number;
  readonly waiting: OpenRequest[];
}

type LaneName = 'patient' | 'delegations' | 'invites' | 'others';

/**
 * The hub takes 64 open requests of a connection. Those that wait for other people have a lane of their own, and so have
 * the answers that other people wait for: two clients opening many sessions with each other never wait in a circle.
 */
export function makeLanes(): Readonly<Record<LaneName, Lane>> {
  return {
    patient: { limit: 12, open: 0, waiting: [] },
    delegations: { limit: 12, open: 0, waiting: [] },
    invites: { limit: 8, open: 0, waiting: [] },
    others: { limit: 32, open: 0, waiting: [] },
  };
}

export function laneOf(op: OperationName): LaneName {
  if (op === 'delegate') return 'delegations';
  if (op === 'create_session' || op === 'close_session') return 'patient';
  return op === 'ack_invite' || op === 'reject_invite' ? 'invites' : 'others';
}

export function tooLate(op: OperationName, deadlineMs: number, isSent: boolean): WireError {
  const what = isSent ? 'was not answered' : 'could not be sent';
  const effect = isSent ? '; it may still take effect' : ', and was not';
  return new WireError('timeout', `${op} ${what} within ${deadlineMs} ms${effect}`);
}

export function unknown(op: OperationName, why: string): WireError {
  const message = `${op} was sent but not answered: ${why}; it may have taken effect: try again with the same key`;
  return new WireError('unavailable', message, { outcome: 'unknown' });
}

export function refused(op: OperationName, why: string): WireError {
  return new WireError('unavailable', `${op} was not sent: ${why}`, { outcome: 'refused' });
}
