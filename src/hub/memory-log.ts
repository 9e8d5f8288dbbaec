/** One log in memory, and a unit on its way into it. */

import type { Entry, Unit } from '../core/records/session/envelope.ts';
import type { Head } from '../core/state/fold-head.ts';
import type { HeadToken, ReadRange } from '../core/ports/store.ts';
import { checkSeqs, foldSession } from '../core/store-rules.ts';

/** A unit that was taken over from its caller and waits to become durable. */
export interface StagedUnit extends Unit {
  readonly logId: string;
  readonly expected: HeadToken | null;
  /** The head of the log once this unit is in it. */
  readonly token: HeadToken;
}

export class MemoryLog {
  readonly #entries: Entry[] = [];
  #token: HeadToken | null = null;
  #head: Head | null = null;

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** null = nothing was ever written. */
  get token(): HeadToken | null {
    return this.#token;
  }

  /** null = the log does not begin with `session.created`: it is no session. */
  get head(): Head | null {
    return this.#head;
  }

  /** The fold comes first: if it throws, nothing of the unit is in the log. */
  write(unit: StagedUnit): void {
    this.#head = unit.entries.reduce(foldSession, this.#head);
    this.#entries.push(...unit.entries);
    this.#token = unit.token;
  }

  read({ from_seq, to_seq = Number.POSITIVE_INFINITY, limit, reverse = false }: ReadRange): readonly Entry[] {
    const start = this.#placeOf(from_seq);
    const end = Math.max(start, this.#placeOf(to_seq + 1));
    if (reverse) return this.#entries.slice(Math.max(start, end - limit), end).reverse();
    return this.#entries.slice(start, Math.min(end, start + limit));
  }

  /** Where the first entry with at least this seq is. A search, not an index: seqs are the caller's, places are ours. */
  #placeOf(seq: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.envelope.seq ?? seq) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Takes a unit over from its caller, who may do with it what he likes afterwards. */
export function stageUnit(logId: string, expected: HeadToken | null, unit: Unit): StagedUnit {
  const before = expected === null ? 0 : seqOf(expected);
  checkSeqs(logId, before, unit);
  return { logId, expected, token: tokenAt(before + unit.entries.length), entries: frozenCopy(unit.entries) };
}

/** A token is told from every other by identity: two units with the same numbers are two heads. */
export function tokenAt(seq: number): HeadToken {
  // HeadToken is opaque; this store's tokens are positions.
  return Object.freeze({ seq }) as unknown as HeadToken;
}

export function seqOf(token: HeadToken): number {
  // The reverse of tokenAt.
  return (token as unknown as { readonly seq: number }).seq;
}

/** What comes back from JSON text: nothing is shared with the original, and nobody can change it. */
export function frozenCopy<T>(value: T): T {
  // The copy of a JSON value has the type of the original.
  return deepFreeze(JSON.parse(JSON.stringify(value))) as T;
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
