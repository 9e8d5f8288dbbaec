/** Good parameters for every operation of the table: a new operation does not compile without them. */

import type { OperationName, Params } from 'parley-hub/core';

const task_id = 'a'.repeat(32);

export function goodParams(session_id: string): { readonly [Name in OperationName]: Params<Name> } {
  return {
    register: { name: 'newcomer' },
    unregister: {},
    list_agents: {},
    find_agent: { text: 'a' },
    get_resume: { agent: 'bob' },
    set_resume: { summary: 'I help.' },
    get_skill: {},
    set_skill: { text: '---\nname: helper\n---\nAsk me.' },
    get_rule: {},
    set_rule: { rule: { limits: { delegation_depth: 2 } } },
    create_session: { type: 'conversation', participants: ['bob'], parent_session_id: session_id, wait: 'created' },
    delegate: { session_id, target: 'bob', prompt: 'Is it done?', wait: 'opened' },
    ack_invite: { session_id },
    reject_invite: { session_id },
    add_participant: { session_id, participant: 'bob' },
    leave_session: { session_id },
    return_to_session: { session_id },
    hide_participant: { session_id, participant: 'bob' },
    remove_participant: { session_id, participant: 'bob' },
    get_session: { session_id },
    list_sessions: {},
    close_session: { session_id },
    post: { session_id, event_type: 'msg.text', event_data: { text: 'hello' }, idempotency_key: 'k' },
    can_send: { session_id },
    report_progress: { session_id },
    report_turn_failure: { session_id, reason: 'the model is down' },
    start_task: { session_id, title: 'look into it' },
    progress_task: { session_id, task_id, progress: 0.5 },
    checkpoint_task: { session_id, task_id, data: { at: 1 } },
    resume_task: { session_id, task_id },
    complete_task: { session_id, task_id, result: { found: true } },
    fail_task: { session_id, task_id, reason: 'the model is down' },
    cancel_task: { session_id, task_id },
    get_task: { session_id, task_id },
    list_tasks: { session_id },
    pending_turns: {},
    read_log: { session_id },
    read_view: { session_id },
    create_schedule: {
      name: 'nightly',
      template: { type: 'conversation', participants: ['bob'] },
      expression: '0 3 * * *',
      zone: 'Europe/Berlin',
    },
    get_schedule: { schedule_id: 'c'.repeat(32) },
    list_schedules: {},
    update_schedule: { schedule_id: 'c'.repeat(32), paused: true },
    delete_schedule: { schedule_id: 'c'.repeat(32) },
    health: {},
  };
}
