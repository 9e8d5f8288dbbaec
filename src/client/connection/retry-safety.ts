/** Lists which requests a client may repeat: `retry` of the operation table, without its schemas. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { RetrySafety } from '../../core/protocol/operations/operation.ts';
import type { OperationName } from '../../core/protocol/operations/operations.ts';

/** Generated from the operation table: `npm run docs`. */
export const RETRY_SAFETY: { readonly [Name in OperationName]: RetrySafety } = {
  register: 'never',
  unregister: 'never',
  list_agents: 'always',
  find_agent: 'always',
  get_agent: 'always',
  get_resume: 'always',
  set_resume: 'never',
  get_skill: 'always',
  set_skill: 'never',
  get_rule: 'always',
  set_rule: 'never',
  create_session: 'with a key',
  delegate: 'with a key',
  ack_invite: 'always',
  reject_invite: 'always',
  add_participant: 'always',
  leave_session: 'always',
  return_to_session: 'always',
  hide_participant: 'always',
  remove_participant: 'always',
  redact: 'always',
  get_session: 'always',
  list_sessions: 'always',
  search_sessions: 'always',
  close_session: 'always',
  post: 'with a key',
  can_send: 'always',
  report_progress: 'always',
  report_turn_failure: 'never',
  start_task: 'with a key',
  progress_task: 'always',
  checkpoint_task: 'never',
  resume_task: 'never',
  complete_task: 'always',
  fail_task: 'always',
  cancel_task: 'never',
  get_task: 'always',
  list_tasks: 'always',
  pending_turns: 'always',
  read_log: 'always',
  read_view: 'always',
  subscribe: 'always',
  unsubscribe: 'always',
  create_schedule: 'never',
  get_schedule: 'always',
  list_schedules: 'always',
  update_schedule: 'never',
  delete_schedule: 'never',
  create_token: 'never',
  list_tokens: 'always',
  revoke_token: 'never',
  whoami: 'always',
  list_types: 'always',
  describe_sessions: 'always',
  read_state: 'always',
  check_graph: 'always',
  hub_figures: 'always',
  read_feed: 'always',
  health: 'always',
};

export function isSafeToRetry(op: OperationName, params: JsonObject): boolean {
  const repeats = Object.hasOwn(RETRY_SAFETY, op) ? RETRY_SAFETY[op] : 'never';
  return repeats === 'always' || (repeats === 'with a key' && typeof params.idempotency_key === 'string');
}
