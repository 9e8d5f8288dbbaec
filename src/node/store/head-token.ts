/**
 * The tokens of this store. It is the only writer of its folder, so what is staged is what will be, and a seq of an epoch
 * is one head. A unit that conflicted gets a token that is no head, now or later.
 */

import type { HeadToken } from '../../core/ports/store.ts';
import type { LogRecord } from '../../store/index/log-record.ts';

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

/** The seq of the head it names; null = before the first. */
export function seqOf(token: HeadToken | null): number {
  return token === null ? 0 : read(token).seq;
}

function read(token: HeadToken): Token {
  // The reverse of tokenOf.
  return token as unknown as Token;
}
