/**
 * Reading: logs, views, searches, and what the console shows. It owns caches alone: of past states, of roles, of start times
 * and of the overview. It never changes a session, never shows more than the reader may see, and lets every redaction through
 * `Redactions`. Start reading at log/read-access.ts (who may read what), then log/read-log.ts or views/read-view.ts.
 */

import { ConcurrencyLimit } from '../../core/lib/concurrency-limit.ts';
import type { Health, HubFigures } from '../../core/protocol/operations/console-hub.ts';
import type { SessionStateAt } from '../../core/protocol/operations/console-sessions.ts';
import type { Params, Result } from '../../core/protocol/operations/operations.ts';
import type { Binding } from '../bindings/binding.ts';
import { SessionDescriber } from './console/describe-sessions.ts';
import { collectFigures, collectHealth, type Figures } from './console/figures.ts';
import { checkGraph, listTypes } from './console/list-types.ts';
import { Overview } from './console/overview.ts';
import { readFeed } from './console/read-feed.ts';
import { readState, type StateRooms } from './console/read-state.ts';
import { WaitStartTimes } from './console/waits.ts';
import { checkSnapshot, PastStates } from './log/past-states.ts';
import type { ReadingRooms } from './log/read-access.ts';
import { readLog } from './log/read-log.ts';
import { SessionSearch } from './log/search-sessions.ts';
import { readView } from './views/read-view.ts';

/** Looks of the console run a few at a time: they must not take the disk from those who talk. */
const MAX_CONCURRENT_LOOKS = 2;

export class Reading {
  readonly overview: Overview;
  private readonly rooms: ReadingRooms;
  private readonly looks = new ConcurrencyLimit(MAX_CONCURRENT_LOOKS);
  private readonly stateRooms: StateRooms;
  private readonly sessionSearch: SessionSearch;
  private readonly describer: SessionDescriber;

  constructor(rooms: ReadingRooms) {
    const { looks } = this;
    this.rooms = rooms;
    const startTimes = new WaitStartTimes(rooms);
    this.stateRooms = { ...rooms, startTimes, pastStates: new PastStates(rooms, looks) };
    this.sessionSearch = new SessionSearch(rooms);
    this.describer = new SessionDescriber({ ...rooms, looks, startTimes });
    this.overview = new Overview({ ...rooms, looks, startTimes });
  }

  readLog(reader: Binding, params: Params<'read_log'>): Promise<Result<'read_log'>> {
    return readLog(this.rooms, reader, params);
  }

  readView(reader: Binding, params: Params<'read_view'>): Promise<Result<'read_view'>> {
    return readView(this.rooms, reader, params);
  }

  searchSessions(asker: Binding, params: Params<'search_sessions'>): Promise<Result<'search_sessions'>> {
    return this.sessionSearch.page(asker, params);
  }

  readState(reader: Binding, params: Params<'read_state'>): Promise<SessionStateAt> {
    return readState(this.stateRooms, reader, params);
  }

  describeSessions(asker: Binding, params: Params<'describe_sessions'>): Promise<Result<'describe_sessions'>> {
    return this.describer.describe(asker, params);
  }

  readFeed(reader: Binding, params: Params<'read_feed'>): Promise<Result<'read_feed'>> {
    return readFeed(this.rooms, this.looks, reader, params);
  }

  listTypes(): Result<'list_types'> {
    return listTypes(this.rooms);
  }

  checkGraph(params: Params<'check_graph'>): Result<'check_graph'> {
    return checkGraph(this.rooms, params);
  }

  hubFigures(): Promise<HubFigures> {
    return this.overview.figures();
  }

  health(): Health {
    return collectHealth(this.rooms);
  }

  /** `backpressured`: connections whose bytes do not leave. */
  figures(backpressured: number): Figures {
    return collectFigures(this.rooms, backpressured);
  }

  checkSnapshot(sessionId: string): Promise<string | null> {
    return checkSnapshot(this.rooms, sessionId);
  }
}
