/** Exit codes of commands, in one table. */

import { HubError, type WireCode, WireError } from '../../core/lib/errors.ts';

export const EXIT = {
  done: 0,
  failed: 1,
  wrong: 2,
  unreachable: 3,
  notAllowed: 4,
  notFound: 5,
  refused: 6,
  inUse: 7,
  found: 8,
  disk: 74,
} as const;

export type ExitName = keyof typeof EXIT;

export const EXIT_HELP: { readonly [Name in ExitName]: string } = {
  done: 'success',
  failed: 'failure',
  wrong: 'invalid command line: a command, an option, a value or a file it names',
  unreachable: 'hub unreachable, or no answer in time',
  notAllowed: 'credential unknown to the hub, or without the required grant',
  notFound: 'session, agent, token, schedule or file not found',
  refused: 'rejected by the hub for now: not your turn, session ended, inbox full',
  inUse: 'in use: the data folder, port or name is taken by another process',
  found: 'problems found (verify, graph, doctor, conformance)',
  disk: 'the disk failed while the hub was running',
};

const OF_WIRE: Partial<Record<WireCode, ExitName>> = {
  unauthenticated: 'notAllowed',
  forbidden: 'notAllowed',
  not_found: 'notFound',
  bad_frame: 'wrong',
  invalid_create: 'wrong',
  unavailable: 'unreachable',
  timeout: 'unreachable',
  internal: 'failed',
};

const OF_HUB: Readonly<Record<string, ExitName>> = {
  bad_options: 'wrong',
  bad_limits: 'wrong',
  bad_data_folder: 'wrong',
  unsafe_auth: 'wrong',
  data_in_use: 'inUse',
  client_closed: 'unreachable',
  session_ended: 'refused',
  folder_not_empty: 'wrong',
  not_a_backup: 'wrong',
  is_backup: 'wrong',
  not_damaged: 'notFound',
  no_data_folder: 'notFound',
};

export function exitOf(thrown: unknown): ExitName {
  if (thrown instanceof WireError) return OF_WIRE[thrown.code] ?? 'refused';
  if (isPortTaken(thrown)) return 'inUse';
  if (thrown instanceof HubError) return OF_HUB[thrown.code] ?? 'failed';
  return 'failed';
}

/** True only if another process has the port; listening can fail for other reasons. */
function isPortTaken(thrown: unknown): boolean {
  if (!(thrown instanceof HubError) || thrown.code !== 'cannot_listen') return false;
  const { cause } = thrown;
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}
