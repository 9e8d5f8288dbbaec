/**
 * The tokens of this store. It is the only writer of its folder, so what is staged is what will be, and a seq of an epoch
 * is one head. A unit that conflicted gets a token that is no head, now or later.
 */

import type { Unit } from '../../core/envelope.ts';
import { HubError } from '../../core/errors.ts';
import type { HeadToken } from '../../core/store.ts';
import type { LogRecord } from './log-record.ts';

interface Token {
  readonly seq: number;
  readonly epoch: number;
}

const NEVER = -1;

export function tokenOf({ seq, epoch }: { readonly seq: number; readonly epoch: number }): HeadToken {
  const token: Token = { seq, epoch };
  // HeadToken is opaque; these are ours.
  return token as unknown as HeadToken;
}

export function tokenOfConflict(seq: number): HeadToken {
  return tokenOf({ seq, epoch: NEVER });
}

export function isHead(record: LogRecord | null, expected: HeadToken | null): boolean {
  if (record === null || expected === null) return record === null && expected === null;
  const { seq, epoch } = read(expected);
  return record.seq === seq && record.epoch === epoch;
}

/** A unit must go on where its caller believes the log to end; anything else is a defect of the caller. */
export function checkSeqs(logId: string, expected: HeadToken | null, { entries }: Unit): void {
  const before = expected === null ? 0 : read(expected).seq;
  if (entries.length === 0) throw new HubError('bad_unit', `log ${logId}: a unit has at least one entry`);
  for (let i = 0; i < entries.length; i++) {
    const seq = entries[i]?.envelope.seq;
    const due = before + 1 + i;
    if (seq === due) continue;
    const what = `entry ${i} of a unit after seq ${before} must have seq ${due}, not ${seq}`;
    throw new HubError('bad_unit', `log ${logId}: ${what}`);
  }
}

function read(token: HeadToken): Token {
  // The reverse of tokenOf.
  return token as unknown as Token;
}
