/** Searches session logs, newest session first, within limits per call; finds only what the asker may read. */

import { ConcurrencyLimit } from '../../../core/lib/concurrency-limit.ts';
import type { Finder } from '../../../core/lib/find-text.ts';
import type { SessionQuery, StoredHead } from '../../../core/ports/store.ts';
import { isReadable, membershipEnd } from '../../../core/records/session/delivery.ts';
import {
  finderFor,
  isSearched,
  lengthOf,
  type SearchCursor,
  type SearchMatch,
  type SearchPage,
  type SearchParams,
} from '../../../core/records/session/search.ts';
import { encodeSearchCursor, findMatch, parseSearchCursor } from '../../../core/records/session/search-schema.ts';
import { isTerminal } from '../../../core/records/session/session.ts';
import type { Entry } from '../../../core/records/session/unit.ts';
import { dropWithheld } from '../../access/filter-withheld.ts';
import type { Binding } from '../../bindings/binding.ts';
import { authorizeObservation, type ReadingRooms } from './read-access.ts';

type SearchRooms = Pick<ReadingRooms, 'clock' | 'limits' | 'store' | 'events' | 'registry' | 'redactions' | 'access'>;

const DEFAULT_LIMIT = 20;
/** Maximum sessions one call reads, matching or not. */
const MAX_SESSIONS = 500;
const SESSIONS_PER_PAGE = 25;
const SESSIONS_PER_TURN = 100;
/** Maximum characters searched in one tick. */
const TEXT_PER_TURN = 256 * 1024;
/** Entries per read. */
const PAGE = 64;

const MAX_CONCURRENT_SEARCHES = 2;

export class SessionSearch {
  private readonly rooms: SearchRooms;
  private readonly running = new ConcurrencyLimit(MAX_CONCURRENT_SEARCHES);

  constructor(rooms: SearchRooms) {
    this.rooms = rooms;
  }

  /** Returns one page of matches. Few searches run concurrently, so that they do not slow down posts. */
  page(asker: Binding, params: SearchParams): Promise<SearchPage> {
    const find = finderFor(params);
    const place = parseSearchCursor(params.after);
    return this.running.run(() => new Search(this.rooms, asker, params, find).from(place));
  }
}

interface Stopped {
  readonly done: number;
  readonly within: SearchCursor['within'];
}

class Search {
  private readonly rooms: SearchRooms;
  private readonly asker: Binding;
  private readonly params: SearchParams;
  private readonly find: Finder;
  private readonly mayObserve: boolean;
  private readonly matches: SearchMatch[] = [];
  private sessionsLeft = MAX_SESSIONS;
  private entriesLeft: number;
  private textLeft: number;
  private textOfTurn = 0;

  constructor(rooms: SearchRooms, asker: Binding, params: SearchParams, find: Finder) {
    this.rooms = rooms;
    this.asker = asker;
    this.params = params;
    this.find = find;
    this.mayObserve = rooms.registry.hasGrant(asker.agentId, 'observe', asker.credential);
    this.entriesLeft = rooms.limits.maxSearchEntries;
    this.textLeft = rooms.limits.maxSearchText;
  }

  async from({ within, after: place }: SearchCursor): Promise<SearchPage> {
    let after = place;
    if (within !== null) {
      const stored = await this.rooms.store.head(within.sessionId);
      const left = stored === null ? null : await this.within(stored, within.seq);
      if (left !== null) return this.page(left, after);
    }
    const query = this.query();
    while (after !== null) {
      if (this.isSpent) return this.page(null, after);
      const from = after === undefined ? query : { ...query, after };
      const { heads, next } = await this.rooms.store.list({ ...from, limit: SESSIONS_PER_PAGE });
      const stopped = await this.through(heads);
      // Only the store knows the page cursor after a session in the middle of a page.
      if (stopped !== null) {
        const isLast = stopped.done === heads.length;
        const behind = isLast ? next : (await this.rooms.store.list({ ...from, limit: stopped.done })).next;
        return this.page(stopped.within, behind);
      }
      after = next;
      // Listing does not wait for the disk, so yield regularly to other work.
      if (next !== null && this.sessionsLeft % SESSIONS_PER_TURN === 0) await this.yieldTick();
    }
    return { matches: this.matches, next: null };
  }

  /**
   * Where the call's budget ran out: how many sessions it had started, and the position in the last one. null if it finished
   * all of them.
   */
  private async through(heads: readonly StoredHead[]): Promise<Stopped | null> {
    for (const [i, stored] of heads.entries()) {
      this.sessionsLeft -= 1;
      const within = await this.within(stored, Number.POSITIVE_INFINITY);
      if (within !== null || this.isSpent) return { done: i + 1, within };
    }
    return null;
  }

  private async yieldTick(): Promise<void> {
    this.textOfTurn = 0;
    await new Promise<void>((resume) => void this.rooms.clock.after(0, resume));
  }

  private get isFull(): boolean {
    return this.matches.length >= (this.params.limit ?? DEFAULT_LIMIT);
  }

  private get isSpent(): boolean {
    return this.isFull || this.sessionsLeft <= 0 || this.entriesLeft <= 0 || this.textLeft <= 0;
  }

  /** The narrowest list of the store that contains all wanted sessions. */
  private query(): Omit<SessionQuery, 'limit' | 'after'> {
    const { states } = this.params;
    const participant = this.mayObserve ? this.participant() : this.asker.agentId;
    if (participant === undefined) return {};
    const isLive = states?.every((state) => !isTerminal(state)) === true;
    return isLive ? { participant, states: ['INVITED', 'ACTIVE', 'CLOSING'] } : { participant };
  }

  /** The participant's id; an unknown name matches no session. */
  private participant(): string | undefined {
    const { participant } = this.params;
    if (participant === undefined) return undefined;
    return this.rooms.registry.find(participant)?.passport.agent_id ?? participant;
  }

  /** Searches a session backwards from a seq. Returns where the budget ran out; null if the session is done. */
  private async within({ head, damaged_from }: StoredHead, fromSeq: number): Promise<SearchCursor['within']> {
    if (!isSearched(head, this.params, this.participant())) return null;
    const isOwn = head.members[this.asker.agentId] !== undefined;
    const end = isOwn ? membershipEnd(head, this.asker.agentId) : this.mayObserve ? Number.POSITIVE_INFINITY : 0;
    const last = Math.min(head.seq, end, (damaged_from ?? Number.POSITIVE_INFINITY) - 1);
    const before = this.matches.length;
    const stoppedAt = await this.back(head.session_id, Math.min(fromSeq, last), isOwn ? end : null);
    // A match in a session of others counts as observing it.
    if (!isOwn && this.matches.length > before)
      authorizeObservation(this.rooms, this.asker, head.session_id, 'search_sessions');
    return stoppedAt === 0 ? null : { sessionId: head.session_id, seq: stoppedAt };
  }

  /** Returns the next seq to search, 0 if none is left. `end`: end of the asker's membership; null if it observes. */
  private async back(sessionId: string, fromSeq: number, end: number | null): Promise<number> {
    for (let at = fromSeq; at >= 1; ) {
      if (this.isSpent) return at;
      const limit = Math.min(PAGE, this.entriesLeft);
      const entries = await this.rooms.store.read(sessionId, { from_seq: 1, to_seq: at, limit, reverse: true });
      // The log is damaged here.
      if (entries[0]?.envelope.seq !== at) return 0;
      this.entriesLeft -= entries.length;
      const own =
        end === null ? entries : entries.filter(({ envelope }) => isReadable(envelope, this.asker.agentId, end));
      const readable = end === null ? own : await dropWithheld(this.rooms.access, this.asker.agentId, own);
      const stoppedAt = await this.look(readable);
      if (stoppedAt !== null) return stoppedAt;
      at -= entries.length;
    }
    return 0;
  }

  /** Returns the seq before the last match if the page is full, else null. */
  private async look(entries: readonly Entry[]): Promise<number | null> {
    for (const entry of entries) {
      const length = lengthOf(entry.envelope);
      this.textLeft -= length;
      this.textOfTurn += length;
      if (this.textOfTurn > TEXT_PER_TURN) await this.yieldTick();
      // Apply redactions only now: they may be newer than the read.
      const { envelope } = this.rooms.redactions.shown(entry);
      const match = findMatch(envelope, this.find);
      if (match === null) continue;
      this.matches.push(match);
      if (this.isFull) return envelope.seq - 1;
    }
    return null;
  }

  private page(within: SearchCursor['within'], after: string | null | undefined): SearchPage {
    const isOver = within === null && after == null;
    return { matches: this.matches, next: isOver ? null : encodeSearchCursor({ within, after: after ?? null }) };
  }
}
