/** Looks through the logs themselves, newest session first: so much for each call, and only what the asker could read. */

import { isReadable, membershipEnd } from '../../../core/records/session/delivery.ts';
import type { Entry } from '../../../core/records/session/envelope.ts';
import type { Finder } from '../../../core/lib/find-text.ts';
import {
  finderFor,
  findIn,
  isSearched,
  lengthOf,
  placeIn,
  placeText,
  type SearchMatch,
  type SearchPage,
  type SearchParams,
  type SearchPlace,
} from '../../../core/records/session/search.ts';
import { isTerminal } from '../../../core/records/session/session.ts';
import type { SessionQuery, StoredHead } from '../../../core/ports/store.ts';
import type { Binding } from '../../bindings.ts';
import { observes } from '../../observes.ts';
import type { HubParts } from '../../parts.ts';
import { notWithheld } from '../../access/filter-withheld.ts';

const DEFAULT_LIMIT = 20;
/** Sessions of one call that are looked at, also those that are not asked for. */
const MOST_SESSIONS = 500;
const SESSIONS_PER_PAGE = 25;
const SESSIONS_PER_TURN = 100;
/** Characters that are looked through before somebody else has a turn. */
const TEXT_PER_TURN = 256 * 1024;
/** Entries that are read at once. */
const PAGE = 64;

export function searchSessions(parts: HubParts, asker: Binding, params: SearchParams): Promise<SearchPage> {
  const find = finderFor(params);
  const place = placeIn(params.after);
  // The others wait their turn: who searches must not take the disk from those who talk.
  return parts.searches.run(() => new Search(parts, asker, params, find).from(place));
}

interface Stopped {
  readonly done: number;
  readonly within: SearchPlace['within'];
}

class Search {
  private readonly parts: HubParts;
  private readonly agentId: string;
  private readonly params: SearchParams;
  private readonly find: Finder;
  private readonly limit: number;
  private readonly mayObserve: boolean;
  private readonly matches: SearchMatch[] = [];
  private sessionsLeft = MOST_SESSIONS;
  private entriesLeft: number;
  private textLeft: number;
  private textOfTurn = 0;

  constructor(parts: HubParts, { agentId }: Binding, params: SearchParams, find: Finder) {
    this.parts = parts;
    this.agentId = agentId;
    this.params = params;
    this.find = find;
    this.limit = params.limit ?? DEFAULT_LIMIT;
    this.mayObserve = parts.registry.holds(agentId, 'observe');
    this.entriesLeft = parts.limits.maxSearchEntries;
    this.textLeft = parts.limits.maxSearchText;
  }

  async from({ within, after: place }: SearchPlace): Promise<SearchPage> {
    let after = place;
    if (within !== null) {
      const stored = await this.parts.store.head(within.sessionId);
      const left = stored === null ? null : await this.within(stored, within.seq);
      if (left !== null) return this.page(left, after);
    }
    const query = this.query();
    while (after !== null) {
      if (this.isSpent) return this.page(null, after);
      const from = after === undefined ? query : { ...query, after };
      const { heads, next } = await this.parts.store.list({ ...from, limit: SESSIONS_PER_PAGE });
      const stopped = await this.through(heads);
      // Only the store can say where the list goes on behind one of a page.
      if (stopped !== null) {
        const isLast = stopped.done === heads.length;
        const behind = isLast ? next : (await this.parts.store.list({ ...from, limit: stopped.done })).next;
        return this.page(stopped.within, behind);
      }
      after = next;
      if (next !== null) await this.letOthers();
    }
    return { matches: this.matches, next: null };
  }

  /** Gives how many were begun when this call had done enough, and where in the last of them; null = all are done. */
  private async through(heads: readonly StoredHead[]): Promise<Stopped | null> {
    for (const [i, stored] of heads.entries()) {
      this.sessionsLeft -= 1;
      const within = await this.within(stored, Number.POSITIVE_INFINITY);
      if (within !== null || this.isSpent) return { done: i + 1, within };
    }
    return null;
  }

  /** Lists are read without waiting for the disk: somebody else has a turn now and then. */
  private async letOthers(): Promise<void> {
    if (this.sessionsLeft % SESSIONS_PER_TURN !== 0) return;
    await this.turnOfOthers();
  }

  private async turnOfOthers(): Promise<void> {
    this.textOfTurn = 0;
    await new Promise<void>((resume) => void this.parts.clock.after(0, resume));
  }

  private get isSpent(): boolean {
    return this.matches.length >= this.limit || this.sessionsLeft <= 0 || this.entriesLeft <= 0 || this.textLeft <= 0;
  }

  /** Through whatever list of the store leads to all of them, and to few others. */
  private query(): Omit<SessionQuery, 'limit' | 'after'> {
    const { states } = this.params;
    const participant = this.mayObserve ? this.participant() : this.agentId;
    if (participant === undefined) return {};
    const isLive = states?.every((state) => !isTerminal(state)) === true;
    return isLive ? { participant, states: ['INVITED', 'ACTIVE', 'CLOSING'] } : { participant };
  }

  /** By its id; a name nobody has is in no session. */
  private participant(): string | undefined {
    const { participant } = this.params;
    if (participant === undefined) return undefined;
    return this.parts.registry.called(participant)?.passport.agent_id ?? participant;
  }

  /** Back from a seq. Gives where it stopped because this call has done enough; null = the session is done. */
  private async within({ head, damaged_from }: StoredHead, fromSeq: number): Promise<SearchPlace['within']> {
    if (!isSearched(head, this.params, this.participant())) return null;
    const isOwn = head.members[this.agentId] !== undefined;
    const end = isOwn ? membershipEnd(head, this.agentId) : this.mayObserve ? Number.POSITIVE_INFINITY : 0;
    const last = Math.min(head.seq, end, (damaged_from ?? Number.POSITIVE_INFINITY) - 1);
    const before = this.matches.length;
    const stoppedAt = await this.back(head.session_id, Math.min(fromSeq, last), isOwn ? end : null);
    // Who finds something in a session of others has looked at it.
    if (!isOwn && this.matches.length > before) observes(this.parts, this.agentId, head.session_id, 'search_sessions');
    return stoppedAt === 0 ? null : { sessionId: head.session_id, seq: stoppedAt };
  }

  /** Gives the next seq to look at; 0 = there is none. `end`: where the asker's membership ends; null = it observes. */
  private async back(sessionId: string, fromSeq: number, end: number | null): Promise<number> {
    for (let at = fromSeq; at >= 1; ) {
      if (this.isSpent) return at;
      const limit = Math.min(PAGE, this.entriesLeft);
      const entries = await this.parts.store.read(sessionId, { from_seq: 1, to_seq: at, limit, reverse: true });
      // Damage may be found only when it is read: what is before it is for the next call.
      if (entries[0]?.envelope.seq !== at) return 0;
      this.entriesLeft -= entries.length;
      const own = end === null ? entries : entries.filter(({ envelope }) => isReadable(envelope, this.agentId, end));
      const readable = end === null ? own : await notWithheld(this.parts.gate, this.agentId, own);
      const stoppedAt = await this.look(readable);
      if (stoppedAt !== null) return stoppedAt;
      at -= entries.length;
    }
    return 0;
  }

  /** Gives the seq before the last match this call has room for; null = there is room for more. */
  private async look(entries: readonly Entry[]): Promise<number | null> {
    for (const entry of entries) {
      const length = lengthOf(entry.envelope);
      this.textLeft -= length;
      this.textOfTurn += length;
      if (this.textOfTurn > TEXT_PER_TURN) await this.turnOfOthers();
      // Only now: it may have been redacted meanwhile.
      const { envelope } = this.parts.redactions.shown(entry);
      const match = findIn(envelope, this.find);
      if (match === null) continue;
      this.matches.push(match);
      if (this.matches.length >= this.limit) return envelope.seq - 1;
    }
    return null;
  }

  private page(within: SearchPlace['within'], after: string | null | undefined): SearchPage {
    const isOver = within === null && after == null;
    return { matches: this.matches, next: isOver ? null : placeText({ within, after: after ?? null }) };
  }
}
