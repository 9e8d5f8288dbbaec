/** Looking: the operations that change nothing. In read-only mode these are all that is ever called. */

import type { ConsoleOperationTypes } from '../core/console-operations.ts';
import type { OperationTypes } from '../core/operations.ts';
import { client } from './connection/link.ts';

type Table = Omit<OperationTypes, keyof ConsoleOperationTypes> & ConsoleOperationTypes;

/** Everything the console reads by; whatever else there is changes something, and goes through `actions.ts`. */
export type Looking = Extract<
  keyof Table,
  | 'whoami'
  | 'list_sessions'
  | 'search_sessions'
  | 'describe_sessions'
  | 'get_session'
  | 'read_state'
  | 'read_log'
  | 'read_view'
  | 'list_agents'
  | 'find_agent'
  | 'get_resume'
  | 'list_types'
  | 'check_graph'
  | 'hub_figures'
  | 'read_feed'
  | 'can_send'
  | 'health'
>;

export function ask<Name extends Looking>(op: Name, params: Table[Name]['params']): Promise<Table[Name]['result']> {
  return client().call(op as never, params as never);
}

/** Why something failed, as a sentence: the hub's own words. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
