/** Envelope types that the hub or an operation writes, with their data. The wire reference is made from this table. */

import type { HubEventType } from '../../src/core/records/session/envelope.ts';

/** Written by task and turn operations; the sender is the caller. */
const TASK_EVENT_TYPES = [
  'task.started',
  'task.progress',
  'task.checkpoint',
  'task.resumed',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.cancel_request',
] as const;

export type CataloguedType = HubEventType | (typeof TASK_EVENT_TYPES)[number];

export interface EventDoc {
  readonly help: string;
  readonly audience: string;
  /** Members of `event_data`; a name ending in `?` may be absent. */
  readonly data: Readonly<Record<string, string>>;
}

const EVERYONE = 'all participants';
const LOG_ONLY = 'log only';
const agent_id = 'participant';
const reason = 'reason';
const END = { reason: 'reason; see [ends](sessions.md#how-a-session-ends)', 'by?': 'identity that asked for it' };
const PLACE = { agent_id, name: 'its name', role: 'its role', order: 'its position' };
const TASK_END = {
  owner_id: 'owner of the task',
  started_at: 'start time',
  capability: 'capability of the owner in use, or null',
};
const TURN = { since_seq: 'seq at which the turn was given' };

export const EVENTS: { readonly [Type in CataloguedType]: EventDoc } = {
  'session.created': {
    help: 'First envelope of every log.',
    audience: LOG_ONLY,
    data: {
      manifest: 'manifest of the session type, with the expectations of this session',
      creator_id: 'creator',
      participants: 'list of `{agent_id, name, role, order}`',
      knobs: 'settings of the session type',
      labels: 'labels',
      required_acks: 'required number of accepted invites',
      invite_deadline_at: 'deadline of invites, or null',
      expires_at: 'expiry time, or null',
      drain_timeout_ms: 'time limit of closing',
      parent_session_id: 'parent session, or null',
      depth: 'depth in a tree of delegations',
      versions: 'versions of its parts',
      request_digest: 'digest of the request',
    },
  },
  'session.invite': {
    help: 'Invite: answer with `ack_invite` or `reject_invite`. Outside the stream, without a receipt.',
    audience: 'the invitee',
    data: {
      ...PLACE,
      type: 'the session type',
      creator_id: 'creator',
      creator_name: 'its name',
      labels: 'labels of the session, such as `intent`',
    },
  },
  'session.invite.ack': { help: 'An invitee accepted.', audience: 'the creator', data: { agent_id } },
  'session.invite.reject': { help: 'An invitee declined.', audience: 'the creator', data: { agent_id, reason } },
  'session.opened': {
    help: 'Enough invitees accepted: the session is ACTIVE and accepts posts.',
    audience: EVERYONE,
    data: { active: 'list of ids, in order' },
  },
  'session.closing': {
    help: 'The session accepts no more posts. `session.closed` follows when all bound participants have acked this, or the drain time has passed.',
    audience: EVERYONE,
    data: END,
  },
  'session.closed': { help: 'End: the last envelope of the log.', audience: EVERYONE, data: END },
  'session.expired': {
    help: 'End by expiry: the last envelope of the log.',
    audience: EVERYONE,
    data: END,
  },
  'session.participant.joined': {
    help: 'A participant was added, or accepted after the session had opened.',
    audience: EVERYONE,
    data: PLACE,
  },
  'session.participant.hidden': {
    help: 'Hidden: it keeps reading, but may not post.',
    audience: EVERYONE,
    data: { agent_id, 'reason?': reason },
  },
  'session.participant.returned': { help: 'Returned to its position.', audience: EVERYONE, data: { agent_id } },
  'session.participant.removed': {
    help: 'Removed permanently: it left, was unregistered or was removed. For this participant the session ends.',
    audience: EVERYONE,
    data: { agent_id, reason: '`left`, `unregistered`, or the given reason' },
  },
  'session.available': {
    help: 'A missing part of the session is registered again: deadlines run.',
    audience: EVERYONE,
    data: {},
  },
  'expectation.violated': {
    help: 'A wait passed its deadline, or a forbidden event occurred. The handler’s effects follow.',
    audience: 'chosen by the handler: violators, all participants or log only',
    data: {
      entry: 'index of the expectation',
      name: 'evaluator',
      violators: 'list of `{agent_id, since_seq}`; `agent_id: null` = the session',
      due_at: 'deadline',
      on_violation: 'the handler',
      detail: 'description',
    },
  },
  'task.started': {
    help: '`start_task`.',
    audience: EVERYONE,
    data: {
      requester_id: 'requester',
      title: 'title',
      capability: TASK_END.capability,
      ttl_ms: 'time limit, or null',
    },
  },
  'task.progress': {
    help: '`progress_task`, or `report_progress` of a turn; limited in rate.',
    audience: 'the requester; of a turn log only',
    data: {
      agent_id,
      'progress?': 'of a task: from 0 to 1, or null',
      'since_seq?': `of a turn: ${TURN.since_seq}`,
      'note?': 'note',
    },
  },
  'task.checkpoint': {
    help: '`checkpoint_task`.',
    audience: LOG_ONLY,
    data: { data: 'checkpoint', bytes: 'its size' },
  },
  'task.resumed': { help: '`resume_task`.', audience: LOG_ONLY, data: {} },
  'task.completed': {
    help: '`complete_task`.',
    audience: EVERYONE,
    data: { ...TASK_END, 'result?': 'result', 'result_bytes?': 'its size' },
  },
  'task.failed': {
    help: '`fail_task`; or, with `task_id: null`, `report_turn_failure`.',
    audience: 'all participants; of a turn log only',
    data: {
      'owner_id?': `of a task: ${TASK_END.owner_id}`,
      'started_at?': `of a task: ${TASK_END.started_at}`,
      'capability?': `of a task: ${TASK_END.capability}`,
      'agent_id?': 'of a turn: its holder',
      'since_seq?': `of a turn: ${TURN.since_seq}`,
      'reason?': reason,
    },
  },
  'task.cancelled': {
    help: '`cancel_task` by its owner.',
    audience: EVERYONE,
    data: { ...TASK_END, 'reason?': reason },
  },
  'task.cancel_request': {
    help: '`cancel_task` by another participant.',
    audience: 'the owner',
    data: { 'reason?': reason },
  },
  'task.expired': {
    help: 'The hub ended a task.',
    audience: EVERYONE,
    data: { ...TASK_END, reason: '`ttl`, `session_ended` or `owner_removed`' },
  },
  'delegation.opened': {
    help: '`delegate`: opens a child session.',
    audience: LOG_ONLY,
    data: {
      delegation_id: 'its id',
      agent_id: 'delegating participant',
      target_id: 'target agent',
      root_session_id: 'root of the tree',
      prompt: 'prompt',
      budget: 'budget, or null',
      timeout: 'time limit in seconds, or null',
      key: 'idempotency key, or null',
      request_digest: 'digest of the request',
    },
  },
  'delegation.settled': {
    help: 'Result of a delegation.',
    audience: 'the delegating participant',
    data: {
      delegation_id: 'its id',
      agent_id: 'delegating participant',
      child_session_id: 'child session, or null',
      outcome: 'as in the answer of [delegate](#delegate)',
      reason,
      spent: '`{usd, tokens, unpriced}`, `usd` in billionths of a dollar; null = unknown',
    },
  },
};

/** Members of an event's data that are not catalogued, or catalogued and missing; none for other types. */
export function findUncatalogued(eventType: string, data: object): readonly string[] {
  if (!isCatalogued(eventType)) return [];
  const notes = Object.keys(EVENTS[eventType].data);
  const unknown = Object.keys(data).filter((name) => !notes.includes(name) && !notes.includes(`${name}?`));
  const missing = notes.filter((name) => !name.endsWith('?') && !Object.hasOwn(data, name));
  return [...unknown, ...missing];
}

export function isCatalogued(eventType: string): eventType is CataloguedType {
  return Object.hasOwn(EVENTS, eventType);
}
