/** Handles the operations that only read: sessions, logs, views, searches, and data for the console. */

import { sessionNotFoundError } from '../../core/decisions/admit.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { StoredHead } from '../../core/ports/store.ts';
import type { ConsoleHubOperations } from '../../core/protocol/operations/console-hub.ts';
import type { ConsoleSessionOperations } from '../../core/protocol/operations/console-sessions.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import type { ReadingOperations } from '../../core/protocol/operations/reading.ts';
import type { SessionOperations, SessionSummary } from '../../core/protocol/operations/sessions.ts';
import { participantOf } from '../../core/records/session/session.ts';
import { changedAt } from '../../core/state/fold-head.ts';
import type { SessionState } from '../../core/state/state.ts';
import { type Binding, notBoundError } from '../bindings/binding.ts';
import { countFitting, DEFAULT_PAGE_SIZE } from '../lib/fit-page.ts';
import { iterateLiveSessions } from '../log/read-pages.ts';
import { SessionDescriber } from '../reading/console/describe-sessions.ts';
import { collectHealth } from '../reading/console/figures.ts';
import { checkGraph, listTypes } from '../reading/console/list-types.ts';
import type { Overview } from '../reading/console/overview.ts';
import { readFeed } from '../reading/console/read-feed.ts';
import { readState } from '../reading/console/read-state.ts';
import type { WaitStartTimes } from '../reading/console/waits.ts';
import { PastStates } from '../reading/log/past-states.ts';
import { authorizeObservation, type ReadingRooms } from '../reading/log/read-access.ts';
import { readLog } from '../reading/log/read-log.ts';
import { SessionSearch } from '../reading/log/search-sessions.ts';
import { publicStateOf, turnToolsOf } from '../reading/views/adapter-answers.ts';
import { readView } from '../reading/views/read-view.ts';
import { grantRefusal, type Handlers, withoutUndefined } from './run-operation.ts';

interface ReadingOperationsNeeds extends ReadingRooms {
  readonly overview: Overview;
  readonly startTimes: WaitStartTimes;
}

type Name =
  | Exclude<keyof SessionOperations, 'redact' | 'close_session'>
  | keyof ReadingOperations
  | Exclude<keyof ConsoleSessionOperations, 'whoami'>
  | keyof ConsoleHubOperations;

export function readingOperations(rooms: ReadingOperationsNeeds): Handlers<Name> {
  const { registry, sessions, store, limits, observers, bindings, events, overview } = rooms;
  const search = new SessionSearch(rooms);
  const describer = new SessionDescriber(rooms);
  const stateRooms = { ...rooms, pastStates: new PastStates(rooms) };
  const observes = ({ agentId, credential }: Binding): boolean => registry.hasGrant(agentId, 'observe', credential);

  /** To a non-participant without the grant `observe` the session does not exist. */
  const readableState = (state: SessionState | null, reader: Binding, sessionId: string): SessionState => {
    if (state === null) throw sessionNotFoundError(sessionId);
    if (participantOf(state.metadata, reader.agentId) !== undefined) return state;
    if (!authorizeObservation(rooms, reader, sessionId, 'get_session')) throw sessionNotFoundError(sessionId);
    return state;
  };

  /** Observing requires the grant `observe`, even for participants. */
  const observable = (state: SessionState | null, by: Binding, sessionId: string): SessionState => {
    if (state === null) throw sessionNotFoundError(sessionId);
    const refusal = grantRefusal(registry, by, 'observe', state.metadata);
    if (refusal !== null) throw refusal;
    return state;
  };

  return {
    get_session(reader, { session_id }) {
      return sessions.use(session_id, (session) => {
        const state = readableState(session.durable, reader, session_id);
        const public_state = publicStateOf(rooms, session, state, reader.agentId);
        const tools = turnToolsOf(rooms, session, state, reader.agentId);
        const { metadata, head } = state;
        return { session: metadata, turn: head.turn, unavailable: session.unavailable, public_state, tools };
      });
    },

    async list_sessions(reader, { all = false, limit = DEFAULT_PAGE_SIZE, ...filters }) {
      if (all && !observes(reader)) {
        const message = 'params.all: listing the sessions of others requires the grant "observe"';
        throw new WireError('forbidden', message, { field: 'params.all' });
      }
      const query = { ...withoutUndefined(filters), limit, ...(all ? {} : { participant: reader.agentId }) };
      const page = await store.list(query);
      const summaries = page.heads.map(summaryOf);
      const fitting = countFitting(summaries, limits.maxResponseBytes);
      if (fitting === summaries.length) return { sessions: summaries, next: page.next };
      // Ask again with the number that fits: only the store knows where the next page begins.
      const shown = await store.list({ ...query, limit: fitting });
      return { sessions: shown.heads.map(summaryOf), next: shown.next };
    },

    async pending_turns({ agentId }, { after = '', limit = DEFAULT_PAGE_SIZE }) {
      const mine: Result<'pending_turns'>['turns'][number][] = [];
      for await (const { head } of iterateLiveSessions(store, agentId)) {
        const { session_id, type, turn } = head;
        if (turn?.agent_id !== agentId || session_id <= after) continue;
        mine.push({ session_id, type, since_seq: turn.since_seq });
      }
      const turns = mine.sort((a, b) => (a.session_id < b.session_id ? -1 : 1)).slice(0, limit);
      return { turns, next: mine.length > limit ? (turns.at(-1)?.session_id ?? null) : null };
    },

    read_log: (reader, params) => readLog(rooms, reader, params),

    search_sessions: (asker, params) => search.page(asker, params),

    read_view: (reader, params) => readView(rooms, reader, params),

    health: () => collectHealth(rooms),

    list_types: () => listTypes(rooms),

    describe_sessions: (asker, params) => describer.describe(asker, params),

    read_state: (reader, params) => readState(stateRooms, reader, params),

    check_graph: (_by, params) => checkGraph(rooms, params),

    hub_figures(by) {
      if (observes(by)) return overview.figures();
      throw new WireError('forbidden', 'hub_figures requires the grant "observe"');
    },

    read_feed: (reader, params) => readFeed(rooms, reader, params),

    subscribe(binding, { session_id, after_seq }) {
      return sessions.use(session_id, (session) => {
        const state = observable(session.durable, binding, session_id);
        // An observation ends with its binding, so a replaced binding cannot begin one.
        if (!bindings.isCurrent(binding)) throw notBoundError(binding.name);
        const { seq: head_seq } = state.head;
        const afterSeq = Math.min(after_seq ?? head_seq, head_seq);
        const { epoch } = session;
        observers.add(binding, state, { epoch, afterSeq });
        events.emit('sessionObserved', { agent_id: binding.agentId, session_id, op: 'subscribe' });
        return { session_id, epoch, after_seq: afterSeq, head_seq, state: state.metadata.state };
      });
    },

    unsubscribe(binding, { session_id }) {
      if (observers.isObserving(binding, session_id)) {
        observers.remove(binding, session_id);
        return { session_id };
      }
      return sessions.use(session_id, ({ durable }) => {
        observable(durable, binding, session_id);
        return { session_id };
      });
    },
  };
}

function summaryOf({ head }: StoredHead): SessionSummary {
  const { session_id, type, state, creator_id, created_at } = head;
  const { closed_at, close_reason, labels, seq: head_seq, turn } = head;
  const changed_at = changedAt(head);
  return {
    ...{ session_id, type, state, creator_id, created_at, changed_at },
    ...{ closed_at, close_reason, labels, head_seq, turn },
  };
}
