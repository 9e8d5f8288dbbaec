/** What logs say that a participant, or a whole session, has spent. */

import type { Session } from '../../client/index.ts';
import { doerOf, type Envelope, isContent } from '../../core/records/session/envelope.ts';
import type { ExpectationEntry, SessionMetadata } from '../../core/records/session/session.ts';
import { NOTHING_SPENT, plusSpent, type Spent, spentWith, UNTOLD } from '../../core/records/session/spending.ts';
import { appliesTo } from '../../core/tallies.ts';

export interface Counted {
  readonly spent: Spent;
  /** Turns that were answered. */
  readonly turns: number;
}

export const NOTHING_COUNTED: Counted = { spent: NOTHING_SPENT, turns: 0 };

/** By this participant and those it delegated to. */
export async function countOwn(session: Session, agentId: string): Promise<Counted> {
  let counted = NOTHING_COUNTED;
  for await (const envelope of session.log()) {
    if (doerOf(envelope) !== agentId) continue;
    const isTurn = isAnswer(envelope);
    const spent = plusSpent(counted.spent, spentWith(envelope) ?? (isTurn ? UNTOLD : NOTHING_SPENT));
    counted = { spent, turns: counted.turns + (isTurn ? 1 : 0) };
  }
  return counted;
}

function isAnswer({ event_type, idempotency_key }: Envelope): boolean {
  return isContent(event_type) && idempotency_key?.startsWith('turn:') === true;
}

export function plusCounted(a: Counted, b: Counted): Counted {
  return { spent: plusSpent(a.spent, b.spent), turns: a.turns + b.turns };
}

/** By those an entry of the session is for, as far as it can be seen from here; the hub sees all of it. */
export class SessionCount {
  private readonly entry: ExpectationEntry;
  private seq = 0;
  private spent = NOTHING_SPENT;

  constructor(entry: ExpectationEntry) {
    this.entry = entry;
  }

  /** What is new in the log is read. */
  async read(session: Session, metadata: SessionMetadata): Promise<Spent> {
    for await (const envelope of session.log({ fromSeq: this.seq + 1 })) {
      this.seq = envelope.seq;
      if (!appliesTo(this.entry, doerOf(envelope), metadata)) continue;
      this.spent = plusSpent(this.spent, spentWith(envelope) ?? NOTHING_SPENT);
    }
    return this.spent;
  }
}
