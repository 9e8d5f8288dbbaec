/** The answer to each kind of caller, for every operation. Access `bound` and `enroller` needs no row. */

import { OPERATIONS, type OperationName, type WireCode } from 'parley-hub/core';

/**
 * unbound: no hello. another: acts as another identity. outsider: not in the session. observer: not in it, with `observe`.
 * expired: the creator with every grant, after its token expired.
 */
export const COLUMNS = ['unbound', 'another', 'outsider', 'hidden', 'removed', 'observer', 'expired'] as const;
export type Column = (typeof COLUMNS)[number];

/** A rejection, or why the call is allowed. */
export type Cell = WireCode | { readonly allowed: string };
export type Row = Readonly<Record<Column, Cell>>;

type Inside = Omit<Row, 'unbound' | 'another' | 'expired'>;

/** Callers without a valid credential for their name. */
function row(bound: Inside): Row {
  return { unbound: 'unauthenticated', another: 'unauthenticated', expired: 'unauthenticated', ...bound };
}

/** The same for every bound caller. */
function bound(cell: Cell): Row {
  return row({ outsider: cell, hidden: cell, removed: cell, observer: cell });
}

/** About a session: to a non-participant it does not exist. */
function within(hidden: Cell, removed: Cell, observer: Cell = 'not_found'): Row {
  return row({ outsider: 'not_found', hidden, removed, observer });
}

const may = (allowed: string): Cell => ({ allowed });
const EVERYONE = may('every bound identity may');
const OWN = may('concerns the caller itself');
const READS_ON = may('hidden participants keep reading');
const UNTIL_OUT = may('removed participants read up to their removal');
const OBSERVES = may('the `observe` grant allows it');
const IS_OUT = may('no-op for removed participants');

export const WRITTEN: { readonly [Name in OperationName]?: Row } = {
  register: bound('forbidden'),
  unregister: bound('forbidden'),
  set_resume: bound(OWN),
  set_skill: bound(OWN),
  get_rule: bound('forbidden'),
  set_rule: bound('forbidden'),
  create_session: within('invalid_create', 'invalid_create'),
  delegate: within('forbidden', 'forbidden'),
  ack_invite: within('protocol_error', 'protocol_error'),
  reject_invite: within('protocol_error', 'protocol_error'),
  add_participant: within('forbidden', 'forbidden'),
  leave_session: within(OWN, IS_OUT),
  return_to_session: within(OWN, 'protocol_error'),
  hide_participant: within('forbidden', 'forbidden'),
  remove_participant: within('forbidden', 'forbidden'),
  redact: within('forbidden', 'forbidden'),
  get_session: within(READS_ON, UNTIL_OUT, OBSERVES),
  list_sessions: bound(OWN),
  search_sessions: bound(OWN),
  close_session: within('forbidden', 'forbidden'),
  post: within('not_your_turn', 'forbidden'),
  can_send: within(may('answers that it cannot'), may('answers that it cannot')),
  report_progress: within('not_your_turn', 'not_your_turn'),
  report_turn_failure: within('not_your_turn', 'not_your_turn'),
  start_task: within('protocol_error', 'forbidden'),
  progress_task: within('forbidden', 'forbidden'),
  checkpoint_task: within('forbidden', 'forbidden'),
  resume_task: within('forbidden', 'forbidden'),
  complete_task: within('forbidden', 'forbidden'),
  fail_task: within('forbidden', 'forbidden'),
  cancel_task: within('protocol_error', 'forbidden'),
  get_task: within(READS_ON, 'forbidden'),
  list_tasks: within(READS_ON, 'forbidden'),
  pending_turns: bound(OWN),
  read_log: within(READS_ON, UNTIL_OUT, OBSERVES),
  read_view: within(READS_ON, UNTIL_OUT),
  subscribe: within('forbidden', 'forbidden', OBSERVES),
  unsubscribe: within('forbidden', 'forbidden', OBSERVES),
  get_schedule: bound('not_found'),
  list_schedules: bound('forbidden'),
  update_schedule: bound('not_found'),
  delete_schedule: bound('not_found'),
  whoami: bound(OWN),
  describe_sessions: bound(may('omits what the caller may not see')),
  read_state: within(READS_ON, UNTIL_OUT, OBSERVES),
  hub_figures: row({ outsider: 'forbidden', hidden: 'forbidden', removed: 'forbidden', observer: OBSERVES }),
  read_feed: row({ outsider: 'forbidden', hidden: 'forbidden', removed: 'forbidden', observer: OBSERVES }),
  health: {
    ...bound(EVERYONE),
    unbound: may('anyone may ask how the hub is'),
    expired: may('anyone may ask how the hub is'),
  },
};

/** The row of an access that needs none. */
function derived(op: OperationName): Row | undefined {
  const { who } = OPERATIONS[op];
  if (who === 'enroller') return bound('forbidden');
  return who === 'bound' ? bound(EVERYONE) : undefined;
}

const names = Object.keys(OPERATIONS) as OperationName[];

/** A row for every operation; undefined = missing. */
export const TABLE: Readonly<Record<string, Row | undefined>> = Object.fromEntries(
  names.map((op) => [op, WRITTEN[op] ?? derived(op)]),
);
