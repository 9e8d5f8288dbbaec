/** Lists every envelope type of a governed session, with its permitted sender and its move. */

import { getOwn } from '../../engine/lib/unknown-record.ts';
import type { Move } from './move.ts';
import {
  answered,
  approved,
  blocked,
  escalated,
  hookResults,
  imported,
  initialized,
  leaseReleased,
  leaseTaken,
  refused,
  resolved,
} from './run-moves.ts';
import { accepted, assigned, claimed, dispatched, progressed, rebased, reissued, rejected } from './turn-moves.ts';

/** `approver` is any credential with the `approve` grant, which the hub checks. */
type Sender = 'runner' | 'holder' | 'approver';

export interface TypeRule {
  readonly from: Sender;
  readonly move: Move;
  /** Accepted regardless of the lease. */
  readonly unfenced?: true;
}

export const GOVERNED_TYPES = [
  'governed.imported',
  'run.initialized',
  'run.blocked',
  'run.escalated',
  'run.resolved',
  'run.answered',
  'turn.assigned',
  'turn.dispatched',
  'turn.progress',
  'turn.result',
  'turn.accepted',
  'turn.rejected',
  'turn.reissued',
  'turn.rebased',
  'gate.approved',
  'gate.refused',
  'hook.results',
  'lease.taken',
  'lease.released',
] as const;

export type GovernedType = (typeof GOVERNED_TYPES)[number];

const TABLE: { readonly [Type in GovernedType]: TypeRule } = {
  'governed.imported': { from: 'runner', move: imported },
  'run.initialized': { from: 'runner', move: initialized },
  'run.blocked': { from: 'runner', move: blocked },
  'run.escalated': { from: 'runner', move: escalated },
  'run.resolved': { from: 'runner', move: resolved },
  'run.answered': { from: 'approver', move: answered },
  'turn.assigned': { from: 'runner', move: assigned },
  'turn.dispatched': { from: 'runner', move: dispatched },
  'turn.progress': { from: 'runner', move: progressed },
  'turn.result': { from: 'holder', move: claimed },
  'turn.accepted': { from: 'runner', move: accepted },
  'turn.rejected': { from: 'runner', move: rejected },
  'turn.reissued': { from: 'runner', move: reissued },
  'turn.rebased': { from: 'runner', move: rebased },
  'gate.approved': { from: 'approver', move: approved },
  'gate.refused': { from: 'approver', move: refused },
  'hook.results': { from: 'runner', move: hookResults },
  'lease.taken': { from: 'runner', move: leaseTaken, unfenced: true },
  'lease.released': { from: 'runner', move: leaseReleased },
};

export function ruleOf(eventType: string): TypeRule | null {
  return getOwn<TypeRule>(TABLE, eventType) ?? null;
}

const FAMILIES = ['governed.', 'run.', 'turn.', 'gate.', 'hook.', 'lease.'];

/** Unknown types of these families are refused: a later version may define them. */
export function isOfFamily(eventType: string): boolean {
  return FAMILIES.some((family) => eventType.startsWith(family));
}

/** Grant required for each envelope type. */
export const APPROVALS: { readonly [Type in GovernedType]?: 'approve' } = {
  'gate.approved': 'approve',
  'gate.refused': 'approve',
  'run.answered': 'approve',
};
