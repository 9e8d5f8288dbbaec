/** The operations that only read: sessions, logs, views, searches, and what the console shows. */

import { sessionNotFoundError } from '../../core/decisions/admit.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { StoredHead } from '../../core/ports/store.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';
import { participantOf } from '../../core/records/session/session.ts';
import { changedAt } from '../../core/state/fold-head.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { Access } from '../access/access.ts';
import { type Binding, notBoundError } from '../bindings/binding.ts';
import type { Bindings } from '../bindings/bindings.ts';
import type { Observers } from '../delivery/observers.ts';
import type { Extensions } from '../extensions/resolve-adapter.ts';
import { countFitting, DEFAULT_PAGE_SIZE } from '../lib/fit-page.ts';
import type { Ground } from '../log/ground.ts';
import { iterateLiveSessions } from '../log/read-pages.ts';
import type { Reading } from '../reading/index.ts';
import { authorizeObservation } from '../reading/log/read-access.ts';
import { publicStateOf, turnToolsOf } from '../reading/views/adapter-answers.ts';
import type { Registry } from '../registry/registry.ts';
import type { Redactions } from '../sessions/redactions.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { boundCaller, grantRefusal, type Handlers } from './handler.ts';

export interface ReadingOperationsNeeds extends Ground, Extensions {
  readonly bindings: Bindings;
  readonly registry: Registry;
  readonly sessions: Sessions;
  readonly access: Access;
  readonly redactions: Redactions;
  readonly observers: Observers;
  readonly reading: Reading;
}

type Name =
  | 'get_session'
  | 'list_sessions'
  | 'pending_turns'
  | 'read_log'
  | 'search_sessions'
  | 'read_view'
  | 'health'
  | 'list_types'
  | 'describe_sessions'
  | 'read_state'
  | 'check_graph'
  | 'hub_figures'
  | 'read_feed'
  | 'subscribe'
  | 'unsubscribe';

export function readingOperations(rooms: ReadingOperationsNeeds): Handlers<Name> {
  const { registry, sessions, store, limits, observers, bindings, events, reading } = rooms;
  const observes = ({ agentId, credential }: Binding): boolean => registry.hasGrant(agentId, 'observe', credential);

  /** A stranger gets the answer for a session that does not exist, unless it may observe. */
  const readableState = (state: SessionState | null, reader: Binding, sessionId: string): SessionState => {
    if (state === null) throw sessionNotFoundError(sessionId);
    if (participantOf(state.metadata, reader.agentId) !== undefined) return state;
    if (!authorizeObservation(rooms, reader, sessionId, 'get_session')) throw sessionNotFoundError(sessionId);
    return state;
  };

  /** To observe takes the grant, whether in the session or not. A stranger without it gets the answer for a session that does not exist. */
  const observable = (state: SessionState | null, by: Binding, sessionId: string): SessionState => {
    if (state === null) throw sessionNotFoundError(sessionId);
    const refusal = grantRefusal(registry, by, 'observe', state.metadata);
    if (refusal !== null) throw refusal;
    return state;
  };

  return {
    get_session(caller, { session_id }) {
      const reader = boundCaller(caller);
      return sessions.use(session_id, (session) => {
        const state = readableState(session.durable, reader, session_id);
        const public_state = publicStateOf(rooms, session, state, reader.agentId);
        const tools = turnToolsOf(rooms, session, state, reader.agentId);
        const { metadata, head } = state;
        return { session: metadata, turn: head.turn, unavailable: session.unavailable, public_state, tools };
      });
    },

    async list_sessions(
      caller,
      { all = false, states, type, ended_since, changed_since, after, limit = DEFAULT_PAGE_SIZE },
    ) {
      const reader = boundCaller(caller);
      if (all && !observes(reader)) {
        throw new WireError('forbidden', 'params.all: the sessions of others take the grant "observe"', {
          field: 'params.all',
        });
      }
      const query = {
        limit,
        ...(all ? {} : { participant: reader.agentId }),
        ...(states === undefined ? {} : { states }),
        ...(type === undefined ? {} : { type }),
        ...(ended_since === undefined ? {} : { ended_since }),
        ...(changed_since === undefined ? {} : { changed_since }),
        ...(after === undefined ? {} : { after }),
      };
      const page = await store.list(query);
      const summaries = page.heads.map(summaryOf);
      const fitting = countFitting(summaries, limits.maxResponseBytes);
      if (fitting === summaries.length) return { sessions: summaries, next: page.next };
      // Asked again for as many as fit, because only the store can say where the next page begins.
      const shown = await store.list({ ...query, limit: fitting });
      return { sessions: shown.heads.map(summaryOf), next: shown.next };
    },

    async pending_turns(caller, { after = '', limit = DEFAULT_PAGE_SIZE }) {
      const { agentId } = boundCaller(caller);
      const mine: Result<'pending_turns'>['turns'][number][] = [];
      for await (const { head } of iterateLiveSessions(store, agentId)) {
        const { session_id, type, turn } = head;
        if (turn?.agent_id !== agentId || session_id <= after) continue;
        mine.push({ session_id, type, since_seq: turn.since_seq });
      }
      const turns = mine.sort((a, b) => (a.session_id < b.session_id ? -1 : 1)).slice(0, limit);
      return { turns, next: mine.length > limit ? (turns.at(-1)?.session_id ?? null) : null };
    },

    read_log: (caller, params) => reading.readLog(boundCaller(caller), params),

    search_sessions: (caller, params) => reading.searchSessions(boundCaller(caller), params),

    read_view: (caller, params) => reading.readView(boundCaller(caller), params),

    health: () => reading.health(),

    list_types(caller) {
      boundCaller(caller);
      return reading.listTypes();
    },

    describe_sessions: (caller, params) => reading.describeSessions(boundCaller(caller), params),

    read_state: (caller, params) => reading.readState(boundCaller(caller), params),

    check_graph(caller, params) {
      boundCaller(caller);
      return reading.checkGraph(params);
    },

    hub_figures(caller) {
      if (!observes(boundCaller(caller))) {
        throw new WireError('forbidden', 'hub_figures: this takes the grant "observe"');
      }
      return reading.hubFigures();
    },

    read_feed: (caller, params) => reading.readFeed(boundCaller(caller), params),

    subscribe(caller, { session_id, after_seq }) {
      const binding = boundCaller(caller);
      return sessions.use(session_id, (session) => {
        const state = observable(session.durable, binding, session_id);
        // It would be nobody's: what is observed ends with its binding.
        if (!bindings.isCurrent(binding)) throw notBoundError(binding.name);
        const { seq: head_seq } = state.head;
        const afterSeq = Math.min(after_seq ?? head_seq, head_seq);
        const { epoch } = session;
        observers.add(binding, state, { epoch, afterSeq });
        events.emit('sessionObserved', { agent_id: binding.agentId, session_id, op: 'subscribe' });
        return { session_id, epoch, after_seq: afterSeq, head_seq, state: state.metadata.state };
      });
    },

    unsubscribe(caller, { session_id }) {
      const binding = boundCaller(caller);
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
