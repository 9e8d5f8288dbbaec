import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WireError } from '../../../src/core/lib/errors.ts';
import { OPERATIONS, type OperationName } from '../../../src/core/protocol/operations/operations.ts';
import { itDeep } from '../../support/size.ts';
import { refused, refusedAs, wrongField } from '../refused.ts';

const SESSION = '0123456789abcdef0123456789abcdef';

/** Minimal valid parameters. */
const least: { readonly [Name in OperationName]: Readonly<Record<string, unknown>> } = {
  register: { name: 'alice' },
  unregister: {},
  list_agents: {},
  find_agent: {},
  get_agent: {},
  get_resume: {},
  set_resume: {},
  get_skill: {},
  set_skill: { text: 'x' },
  get_rule: {},
  set_rule: { rule: {} },
  create_session: { type: 'consulting', participants: ['bob'] },
  delegate: { session_id: SESSION, target: 'bob', prompt: 'Is it done?' },
  ack_invite: { session_id: SESSION },
  reject_invite: { session_id: SESSION },
  add_participant: { session_id: SESSION, participant: 'bob' },
  leave_session: { session_id: SESSION },
  return_to_session: { session_id: SESSION },
  hide_participant: { session_id: SESSION, participant: 'bob' },
  remove_participant: { session_id: SESSION, participant: 'bob' },
  redact: { session_id: SESSION, seq: 1 },
  get_session: { session_id: SESSION },
  list_sessions: {},
  search_sessions: { query: 'x' },
  close_session: { session_id: SESSION },
  post: { session_id: SESSION, event_type: 'msg.text', event_data: { text: 'hi' } },
  can_send: { session_id: SESSION },
  report_progress: { session_id: SESSION },
  report_turn_failure: { session_id: SESSION, reason: 'x' },
  start_task: { session_id: SESSION, title: 'x' },
  progress_task: { session_id: SESSION, task_id: SESSION, progress: null },
  checkpoint_task: { session_id: SESSION, task_id: SESSION, data: {} },
  resume_task: { session_id: SESSION, task_id: SESSION },
  complete_task: { session_id: SESSION, task_id: SESSION },
  fail_task: { session_id: SESSION, task_id: SESSION, reason: 'x' },
  cancel_task: { session_id: SESSION, task_id: SESSION },
  get_task: { session_id: SESSION, task_id: SESSION },
  list_tasks: {},
  pending_turns: {},
  read_log: { session_id: SESSION },
  read_view: { session_id: SESSION },
  subscribe: { session_id: SESSION },
  unsubscribe: { session_id: SESSION },
  create_token: {},
  list_tokens: {},
  revoke_token: { token_id: '0123456789abcdef' },
  create_schedule: {
    name: 'x',
    template: { type: 'consulting', participants: ['bob'] },
    expression: '* * * * *',
    zone: 'UTC',
  },
  get_schedule: { schedule_id: SESSION },
  list_schedules: {},
  update_schedule: { schedule_id: SESSION },
  delete_schedule: { schedule_id: SESSION },
  whoami: {},
  list_types: {},
  describe_sessions: { session_ids: [SESSION] },
  read_state: { session_id: SESSION },
  check_graph: { graph: {} },
  hub_figures: {},
  read_feed: {},
  health: {},
};

/** One value of each JSON type. */
const samples = { null: null, flag: true, number: 7, text: 'x', list: ['x'], object: { a: 'x' } };

/** The samples that each field of each operation accepts. */
const takes: { readonly [Name in OperationName]: Readonly<Record<string, string>> } = {
  register: { name: 'text', kind: '', owner: 'text', provider: 'text', model: 'text', cost: 'text', region: 'text' },
  unregister: { name: 'text' },
  list_agents: { after: 'text', limit: 'number' },
  find_agent: {
    capability: 'text',
    text: 'text',
    kind: '',
    domain: 'text',
    bound: 'flag',
    after: 'text',
    limit: 'number',
  },
  get_agent: { agent: 'text' },
  get_resume: { agent: 'text' },
  set_resume: {
    claimed_capabilities: 'list',
    domains: 'list',
    summary: 'text',
    examples: 'list',
    expected_version: 'number',
  },
  get_skill: { agent: 'text' },
  set_skill: { text: 'text null' },
  get_rule: { agent: 'text' },
  set_rule: { agent: 'text', rule: '', expected_version: 'number' },
  create_session: {
    type: 'text',
    version: 'number',
    participants: 'list',
    knobs: 'object',
    labels: 'object',
    intent: 'text',
    expectations: '',
    required_acks: 'number',
    ttl: 'number',
    invite_timeout: 'number',
    drain_timeout: 'number',
    parent_session_id: '',
    idempotency_key: 'text',
    wait: '',
  },
  delegate: {
    session_id: '',
    target: 'text',
    prompt: 'text',
    budget: '',
    timeout: 'number',
    wait: '',
    idempotency_key: 'text',
  },
  ack_invite: { session_id: '' },
  reject_invite: { session_id: '', reason: 'text' },
  add_participant: { session_id: '', participant: 'text', role: 'text' },
  leave_session: { session_id: '' },
  return_to_session: { session_id: '', participant: 'text' },
  hide_participant: { session_id: '', participant: 'text', reason: 'text' },
  remove_participant: { session_id: '', participant: 'text', reason: 'text' },
  report_progress: { session_id: '', note: 'text' },
  report_turn_failure: { session_id: '', reason: 'text' },
  redact: { session_id: '', seq: 'number', reason: 'text' },
  get_session: { session_id: '' },
  list_sessions: {
    states: '',
    type: 'text',
    ended_since: '',
    changed_since: '',
    all: 'flag',
    after: 'text',
    limit: 'number',
  },
  search_sessions: {
    query: 'text',
    match: '',
    states: '',
    type: 'text',
    labels: 'object',
    participant: 'text',
    after: 'text',
    limit: 'number',
  },
  close_session: { session_id: '', reason: 'text', wait: '' },
  post: {
    session_id: '',
    event_type: 'text',
    event_data: 'object',
    audience: 'null list',
    causation_id: 'null text',
    task_id: 'null text',
    traceparent: 'null',
    priority: '',
    idempotency_key: 'null text',
    ttl_seconds: 'null number',
    expected_seq: 'number',
  },
  can_send: { session_id: '', event_type: 'text' },
  start_task: {
    session_id: '',
    title: 'text',
    capability: 'text',
    requester: 'text',
    ttl: 'number',
    idempotency_key: 'text',
  },
  progress_task: { session_id: '', task_id: '', progress: 'null', note: 'text' },
  checkpoint_task: { session_id: '', task_id: '', data: 'object' },
  resume_task: { session_id: '', task_id: '' },
  complete_task: { session_id: '', task_id: '', result: 'object' },
  fail_task: { session_id: '', task_id: '', reason: 'text', result: 'object' },
  cancel_task: { session_id: '', task_id: '', reason: 'text' },
  get_task: { session_id: '', task_id: '' },
  list_tasks: { session_id: '', states: '', owner: 'text', after: 'text', limit: 'number' },
  pending_turns: { after: '', limit: 'number' },
  read_log: { session_id: '', from_seq: 'number', limit: 'number', reverse: 'flag', all: 'flag' },
  read_view: { session_id: '', participant: 'text', view: '', at_seq: 'number' },
  subscribe: { session_id: '', after_seq: 'number' },
  unsubscribe: { session_id: '' },
  create_token: { label: 'text', name: 'text', grants: '', ttl: 'number' },
  list_tokens: { after: '', limit: 'number' },
  revoke_token: { token_id: '' },
  create_schedule: { name: 'text', template: '', expression: 'text', zone: 'text', missed: '', overlap: 'flag' },
  get_schedule: { schedule_id: '' },
  list_schedules: { all: 'flag', after: '', limit: 'number' },
  update_schedule: {
    schedule_id: '',
    name: 'text',
    template: '',
    expression: 'text',
    zone: 'text',
    missed: '',
    overlap: 'flag',
    paused: 'flag',
  },
  delete_schedule: { schedule_id: '' },
  whoami: {},
  list_types: {},
  describe_sessions: { session_ids: '' },
  read_state: { session_id: '', at_seq: 'number', participant: 'text' },
  check_graph: { graph: 'object', type: 'text' },
  hub_figures: {},
  read_feed: { since: 'number', after: 'number', limit: 'number' },
  health: {},
};

const names = Object.keys(OPERATIONS) as OperationName[];
const fields = names.flatMap((op) => Object.entries(takes[op]).map(([field, kinds]) => ({ op, field, kinds })));

function parse(op: OperationName, params: unknown): unknown {
  return OPERATIONS[op].params.parse(params, 'params');
}

describe('the parameters of every operation', () => {
  it('[OP1] are all in this table', () => {
    for (const op of names) {
      const { properties = {} } = OPERATIONS[op].params.jsonSchema() as { properties?: object };
      expect(Object.keys(properties).sort()).toEqual(Object.keys(takes[op]).sort());
    }
  });

  it.each(names)('[OP1] %s accepts minimal parameters unchanged', (op) => {
    expect(parse(op, least[op])).toEqual(least[op]);
  });

  it.each(fields)('[RE1] $op rejects wrong types for $field, and names field, expectation and value', (row) => {
    const { op, field, kinds } = row;
    for (const [kind, value] of Object.entries(samples)) {
      const params = { ...least[op], [field]: value };
      if (kinds.split(' ').includes(kind)) {
        expect(parse(op, params)).toMatchObject({ [field]: value });
        continue;
      }
      const { code, message, details } = refused(() => parse(op, params));
      expect(code).toBe('bad_frame');
      expect(details).toEqual({
        field: expect.stringMatching(new RegExp(`^params\\.${field}(\\.|$)`)),
        expected: expect.stringMatching(/^(?!.*([Ii]nvalid|Unrecognized|Too )).+/),
        received: expect.any(String),
      });
      expect(message).toBe(`${details?.field}: expected ${details?.expected}, got ${details?.received}`);
    }
  });

  const required = names.flatMap((op) => Object.keys(least[op]).map((field) => ({ op, field })));
  it.each(required)('[RE1] $op requires $field', ({ op, field }) => {
    const { [field]: _gone, ...rest } = least[op];
    expect(refused(() => parse(op, rest)).details).toMatchObject({ field: `params.${field}`, received: 'nothing' });
  });

  it.each(names)('[RE1] %s rejects parameters that are not an object', (op) => {
    for (const [value, received] of [
      [null, 'null'],
      ['x', '"x"'],
      [[], 'an array of 0'],
      [undefined, 'nothing'],
    ]) {
      expect(refused(() => parse(op, value))).toEqual(
        refusedAs('bad_frame', `params: expected an object, got ${received}`, {
          field: 'params',
          expected: 'an object',
          received,
        }),
      );
    }
  });

  it('[RE3] ignore extra fields, including those that the hub stamps', () => {
    const stamped = { seq: 9, envelope_id: 'forged', created_at: 'now', depth: 4, sender_id: 'id-bob', extra: 1 };
    expect(parse('post', { ...least.post, ...stamped })).toEqual(least.post);
    expect(parse('register', { name: 'alice', agent_id: 'mine' })).toEqual({ name: 'alice' });
  });

  itDeep('[RE1] are accepted or rejected with a WireError', () => {
    const anyParams = fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...fieldNames()), fc.anything()));
    fc.assert(
      fc.property(fc.constantFrom(...names), anyParams, (op, params) => {
        try {
          parse(op, params);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(WireError);
          expect((thrown as WireError).details).toEqual({
            field: expect.stringMatching(/^params/),
            expected: expect.any(String),
            received: expect.any(String),
          });
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe('the limits of parameters', () => {
  const text = (count: number, unit = 'x') => unit.repeat(count);
  const entry = { name: 'acks_within', on_violation: 'auto_close', params: {} };
  const hexId = 'a session id of 32 lower-case hex digits';
  const eventType = 'an event type such as msg.text (1 to 128 characters)';
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const w3c = 'a W3C traceparent: version-trace-parent-flags of 2-32-16-2 lower-case hex digits';
  const rows: readonly (readonly [OperationName, string, unknown, string])[] = [
    ['get_session', 'session_id', SESSION.toUpperCase(), hexId],
    ['get_session', 'session_id', SESSION.slice(1), hexId],
    ['get_session', 'session_id', `${SESSION}\n`, hexId],
    ['create_session', 'parent_session_id', 'hub', hexId],
    ['list_agents', 'limit', 0, 'a whole number from 1 to 1000'],
    ['list_agents', 'limit', 1001, 'a whole number from 1 to 1000'],
    ['list_agents', 'limit', 1.5, 'a whole number from 1 to 1000'],
    ['list_agents', 'limit', Number.NaN, 'a whole number from 1 to 1000'],
    ['read_log', 'from_seq', 0, 'a whole number from 1 to 9007199254740991'],
    ['post', 'expected_seq', -1, 'a whole number from 0 to 9007199254740991'],
    ['post', 'expected_seq', 2 ** 53, 'a whole number from 0 to 9007199254740991'],
    ['post', 'event_type', '', eventType],
    ['post', 'event_type', '1st', eventType],
    ['post', 'event_type', 'msg text', eventType],
    ['post', 'event_type', text(129), eventType],
    ['post', 'audience', [], 'at least one agent id, or null for everyone'],
    ['post', 'audience', Array(4097).fill('x'), 'at most 4096 agent ids'],
    ['post', 'priority', 'high', 'background, normal or urgent'],
    ['post', 'traceparent', '', w3c],
    ['post', 'traceparent', trace, w3c],
    ['post', 'traceparent', `00-${trace}-00f067aa0ba902b7`, w3c],
    ['post', 'traceparent', `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`, w3c],
    ['post', 'traceparent', `00-${trace}-00f067aa0ba902b7-01-more`, w3c],
    ['post', 'traceparent', `00-${trace}-00f067aa0ba902b7-01\n`, w3c],
    ['post', 'idempotency_key', '', 'text of 1 to 128 characters'],
    ['post', 'idempotency_key', text(129), 'text of 1 to 128 characters'],
    ['post', 'idempotency_key', text(65, 'ä'), 'a key of 1 to 128 bytes'],
    ['post', 'idempotency_key', 'k\ud800', 'well-formed Unicode text (no lone surrogate)'],
    ['post', 'ttl_seconds', 0, 'more than 0 seconds'],
    ['post', 'ttl_seconds', Number.POSITIVE_INFINITY, 'seconds'],
    ['create_session', 'participants', [], 'at least one name'],
    ['create_session', 'participants', Array(4097).fill('x'), 'at most 4096 names'],
    ['create_session', 'version', 0, 'a whole number from 1 to 1000000'],
    ['create_session', 'required_acks', -1, 'a whole number from 0 to 100000'],
    ['create_session', 'intent', text(1025), 'text of 1 to 1024 characters'],
    ['create_session', 'wait', 'closed', 'active or created'],
    ['create_session', 'ttl', '1 hour', 'a duration such as 30s, 15m, 2h, 1d or seconds (at most 36500d)'],
    ['create_session', 'ttl', 1e300, 'a duration such as 30s, 15m, 2h, 1d or seconds (at most 36500d)'],
    ['create_session', 'labels', JSON.parse('{"__proto__":"x"}'), 'an object of texts without the key __proto__'],
    ['create_session', 'expectations', Array(65).fill(entry), 'at most 64 expectations'],
    ['close_session', 'wait', 'active', 'closing or closed'],
    ['read_log', 'reverse', 'yes', 'true or false'],
    ['register', 'kind', 'robot', 'agent, human or remote_agent'],
  ];

  it.each(rows)('[RE1] %s.%s rejects %j', (op, field, value, expected) => {
    expect(refused(() => parse(op, { ...least[op], [field]: value }))).toMatchObject({
      code: 'bad_frame',
      details: { field: `params.${field}`, expected },
    });
  });

  it.each([
    ['post', 'audience', ['id-bob', 5], 'params.audience.1', 'text of 1 to 64 characters', '5'],
    ['create_session', 'labels', { intent: 5 }, 'params.labels.intent', 'text', '5'],
    ['create_session', 'participants', ['bob', ''], 'params.participants.1', 'text of 1 to 64 characters', '""'],
    ['list_sessions', 'states', ['OPEN'], 'params.states.0', 'a lifecycle state', '"OPEN"'],
    [
      'create_session',
      'expectations',
      [{ ...entry, when: 1 }],
      'params.expectations.0.when',
      'one of name, on_violation, params, applies_to',
      '"when"',
    ],
    [
      'create_session',
      'expectations',
      [{ ...entry, applies_to: 'x' }],
      'params.expectations.0.applies_to',
      'a list',
      '"x"',
    ],
    ['create_session', 'expectations', [7], 'params.expectations.0', 'an object', '7'],
  ] as const)('[RE1] %s.%s = %j is rejected with its exact path', (op, name, value, field, expected, received) => {
    expect(refused(() => parse(op, { ...least[op], [name]: value }))).toEqual(wrongField(field, expected, received));
  });

  it.each([
    ['post', 'idempotency_key', text(64, 'ä')],
    ['post', 'ttl_seconds', 0.5],
    ['post', 'traceparent', `00-${trace}-00f067aa0ba902b7-01`],
    ['post', 'event_type', text(128)],
    ['list_agents', 'limit', 1000],
    ['create_session', 'ttl', '2h'],
    ['create_session', 'labels', { constructor: 'a', toString: 'b' }],
  ] as const)('[RE6] %s.%s accepts a value at its limit', (op, field, value) => {
    expect(parse(op, { ...least[op], [field]: value })).toMatchObject({ [field]: value });
  });
});

function fieldNames(): string[] {
  return [...new Set(fields.map(({ field }) => field))];
}
