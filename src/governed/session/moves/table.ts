/** Every type of envelope a governed session knows: who may send it, and what it does. */

import { getOwn } from '../../engine/lib/unknown-record.ts';
import type { Move } from './move.ts';
import { answered, approved, blocked, escalated, imported, initialized, refused, resolved } from './run-moves.ts';
import { hookResults, leaseReleased, leaseTaken } from './side-moves.ts';
import { accepted, assigned, claimed, dispatched, progressed, rebased, reissued, rejected } from './turn-moves.ts';

/** `approver`: anybody whose credential has the grant `approve`, which the hub looks at. */
export type Sender = 'runner' | 'holder' | 'approver';

export interface TypeRule {
  readonly from: Sender;
  readonly move: Move;
  /** Taken whoever has the lease. */
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

/** A type of these families that is none today may be one later, and nobody is to have sent it before. */
export function isOfFamily(eventType: string): boolean {
  return FAMILIES.some((family) => eventType.startsWith(family));
}

/** What a credential needs to send some of them. */
export const APPROVALS: { readonly [Type in GovernedType]?: 'approve' } = {
  'gate.approved': 'approve',
  'gate.refused': 'approve',
  'run.answered': 'approve',
};
