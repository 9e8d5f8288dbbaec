/** Every type of envelope that the hub makes, or that comes of an operation, with what its data says. The reference of the wire is made from it. */

import type { HubEventType } from '../../src/core/records/session/envelope.ts';

/** Made by what participants ask about tasks and turns: the sender is who asked. */
export const TASK_EVENT_TYPES = [
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
  /** When it is said. */
  readonly help: string;
  readonly audience: string;
  /** The members of `event_data`, in words; a `?` at the end of the name = it may be absent. */
  readonly data: Readonly<Record<string, string>>;
}

const EVERYONE = 'everyone';
const LOG_ONLY = 'the log alone';
const agent_id = 'who';
const reason = 'why';
const END = { reason: 'why; see [ends](sessions.md#how-a-session-ends)', 'by?': 'who asked for it' };
const PLACE = { agent_id, name: 'its name', role: 'its role', order: 'its place' };
const TASK_END = {
  owner_id: 'whose task',
  started_at: 'when it began',
  capability: 'which of the owner’s it used, or null',
};
const TURN = { since_seq: 'the turn: where it was given' };

export const EVENTS: { readonly [Type in CataloguedType]: EventDoc } = {
  'session.created': {
    help: 'The first of every log.',
    audience: LOG_ONLY,
    data: {
      manifest: 'what the session type says of itself, with the expectations of this session',
      creator_id: 'who opened it',
      participants: 'list of `{agent_id, name, role, order}`',
      knobs: 'the settings of the session type',
      labels: 'as given',
      required_acks: 'how many have to accept',
      invite_deadline_at: 'until when, or null',
      expires_at: 'when its time to live is over, or null',
      drain_timeout_ms: 'how long closing may take',
      parent_session_id: 'the session it belongs to, or null',
      depth: 'how deep it is in a tree',
      versions: 'of what it uses',
      request_digest: 'of what was asked',
    },
  },
  'session.invite': {
    help: 'An invite: answer with `ack_invite` or `reject_invite`. Outside of the stream, no receipt.',
    audience: 'the invitee',
    data: {
      ...PLACE,
      type: 'the session type',
      creator_id: 'who asks',
      creator_name: 'its name',
      labels: 'of the session, such as `intent`',
    },
  },
  'session.invite.ack': { help: 'Somebody accepted.', audience: 'who opened it', data: { agent_id } },
  'session.invite.reject': { help: 'Somebody declined.', audience: 'who opened it', data: { agent_id, reason } },
  'session.opened': {
    help: 'Enough have accepted: it is ACTIVE, and takes posts.',
    audience: EVERYONE,
    data: { active: 'list of ids, in order' },
  },
  'session.closing': {
    help: 'It takes no more posts. `session.closed` follows when everyone connected has acked this, or the drain time is over.',
    audience: EVERYONE,
    data: END,
  },
  'session.closed': { help: 'The end: the last of its log.', audience: EVERYONE, data: END },
  'session.expired': {
    help: 'The end, of one whose time was over: the last of its log.',
    audience: EVERYONE,
    data: END,
  },
  'session.participant.joined': {
    help: 'Somebody joined who was added, or accepted after it had opened.',
    audience: EVERYONE,
    data: PLACE,
  },
  'session.participant.hidden': {
    help: 'Out of the rotation: it goes on reading, and may not speak.',
    audience: EVERYONE,
    data: { agent_id, 'reason?': reason },
  },
  'session.participant.returned': { help: 'Back in its place.', audience: EVERYONE, data: { agent_id } },
  'session.participant.removed': {
    help: 'Out for good: it left, unregistered or was taken out. For that one it is the end of the session.',
    audience: EVERYONE,
    data: { agent_id, reason: '`left`, `unregistered`, or what was given' },
  },
  'session.available': {
    help: 'What the session lacked at this hub is registered again: turns count.',
    audience: EVERYONE,
    data: {},
  },
  'expectation.violated': {
    help: 'What was expected did not come in time, or came and must not. What follows from it is in the envelopes behind it.',
    audience: 'as the handler says: violators, everyone or the log alone',
    data: {
      entry: 'its place in the list',
      name: 'of the evaluator',
      violators: 'list of `{agent_id, since_seq}`; `agent_id: null` = the session',
      due_at: 'when it was due',
      on_violation: 'the handler',
      detail: 'in words',
    },
  },
  'task.started': {
    help: '`start_task`.',
    audience: EVERYONE,
    data: {
      requester_id: 'for whom',
      title: 'in words',
      capability: TASK_END.capability,
      ttl_ms: 'how long it may take, or null',
    },
  },
  'task.progress': {
    help: '`progress_task`, or `report_progress` of a turn; not more often than the session wants to hear.',
    audience: 'who asked for the task; of a turn the log alone',
    data: {
      agent_id,
      'progress?': 'of a task: from 0 to 1, or null',
      'since_seq?': `of a turn: ${TURN.since_seq}`,
      'note?': 'in words',
    },
  },
  'task.checkpoint': {
    help: '`checkpoint_task`.',
    audience: LOG_ONLY,
    data: { data: 'what was saved', bytes: 'its size' },
  },
  'task.resumed': { help: '`resume_task`.', audience: LOG_ONLY, data: {} },
  'task.completed': {
    help: '`complete_task`.',
    audience: EVERYONE,
    data: { ...TASK_END, 'result?': 'what came of it', 'result_bytes?': 'its size' },
  },
  'task.failed': {
    help: '`fail_task`; or, with `task_id: null`, `report_turn_failure`.',
    audience: 'everyone; of a turn the log alone',
    data: {
      'owner_id?': `of a task: ${TASK_END.owner_id}`,
      'started_at?': `of a task: ${TASK_END.started_at}`,
      'capability?': `of a task: ${TASK_END.capability}`,
      'agent_id?': 'of a turn: whose',
      'since_seq?': `of a turn: ${TURN.since_seq}`,
      'reason?': reason,
    },
  },
  'task.cancelled': {
    help: '`cancel_task` by its owner.',
    audience: EVERYONE,
    data: { ...TASK_END, 'reason?': reason },
  },
  'task.cancel_request': { help: '`cancel_task` by another.', audience: 'the owner', data: { 'reason?': reason } },
  'task.expired': {
    help: 'The hub ended a task.',
    audience: EVERYONE,
    data: { ...TASK_END, reason: '`ttl`, `session_ended` or `owner_removed`' },
  },
  'delegation.opened': {
    help: '`delegate`: a child session is opened.',
    audience: LOG_ONLY,
    data: {
      delegation_id: 'its id',
      agent_id: 'who delegates',
      target_id: 'to whom',
      root_session_id: 'the top of the tree',
      prompt: 'what is asked',
      budget: 'what may be spent, or null',
      timeout: 'in seconds, or null',
      key: 'as given, or null',
      request_digest: 'of what was asked',
    },
  },
  'delegation.settled': {
    help: 'What became of it.',
    audience: 'who delegated',
    data: {
      delegation_id: 'its id',
      agent_id: 'who delegated',
      child_session_id: 'where, or null',
      outcome: 'as in the answer of [delegate](#delegate)',
      reason,
      spent: '`{usd, tokens, unpriced}`, `usd` in billionths of a dollar; null = not known',
    },
  },
};

/** Members of an event's data that the catalogue does not have, or that it has and are missing; of other types none. */
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
