/** How a command ends, in one table: what a script can tell from it. */

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
  done: 'done',
  failed: 'it failed',
  wrong: 'it was asked wrongly: a command, an option or a value',
  unreachable: 'the hub cannot be reached, or did not answer',
  notAllowed: 'the hub does not know the credential, or does not allow it that',
  notFound: 'there is no such session, agent, token, schedule or file',
  refused: "the hub refused it for now: somebody else's turn, a session that has ended, a full inbox",
  inUse:
    'somebody else has it: a data folder that a hub has open, a port that is taken, a name that is connected elsewhere',
  found: 'it looked for problems (verify, graph, doctor, conformance) and found some',
  disk: 'the disk failed a running hub',
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

/** A port can be out of reach for other reasons too. */
function isPortTaken(thrown: unknown): boolean {
  if (!(thrown instanceof HubError) || thrown.code !== 'cannot_listen') return false;
  const { cause } = thrown;
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}
