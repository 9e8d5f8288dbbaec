/** The table of all operations. Parsing, HTTP, the wire documents and test matrices are derived from it. To add an
 * operation, write its record in a group of this folder and its handler in the hub. */

import { CONSOLE_HUB, type ConsoleHubOperations } from './console-hub.ts';
import { CONSOLE_SESSIONS, type ConsoleSessionOperations } from './console-sessions.ts';
import { COMMON_PARAMS } from './define-operation.ts';
import { IDENTITY, type IdentityOperations } from './identity.ts';
import { MEMBERSHIP, type MembershipOperations } from './membership.ts';
import type { OperationRecord, Operations } from './operation.ts';
import { POSTING, type PostingOperations } from './posting.ts';
import { READING, type ReadingOperations } from './reading.ts';
import { SCHEDULES, type ScheduleOperations } from './schedules.ts';
import { SESSIONS, type SessionOperations } from './sessions.ts';
import { TASKS, type TaskOperations } from './tasks.ts';
import { TOKENS, type TokenOperations } from './tokens.ts';

export interface OperationTypes
  extends IdentityOperations,
    MembershipOperations,
    SessionOperations,
    PostingOperations,
    TaskOperations,
    ReadingOperations,
    ScheduleOperations,
    TokenOperations,
    ConsoleSessionOperations,
    ConsoleHubOperations {}

export type OperationName = keyof OperationTypes;
export type Params<Name extends OperationName> = OperationTypes[Name]['params'];
export type Result<Name extends OperationName> = OperationTypes[Name]['result'];

export interface Operation<Name extends OperationName> extends OperationRecord<OperationTypes[Name]> {
  readonly name: Name;
}

const RECORDS: Operations<OperationTypes> = {
  ...IDENTITY,
  ...MEMBERSHIP,
  ...SESSIONS,
  ...POSTING,
  ...TASKS,
  ...READING,
  ...SCHEDULES,
  ...TOKENS,
  ...CONSOLE_SESSIONS,
  ...CONSOLE_HUB,
};

// Object.entries loses the pairing of names and records, so each record is given its name here.
export const OPERATIONS: { readonly [Name in OperationName]: Operation<Name> } = Object.fromEntries(
  Object.entries(RECORDS).map(([name, record]) => [name, { name, ...record }]),
) as unknown as { readonly [Name in OperationName]: Operation<Name> };

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

export function paramHelp(op: OperationName, name: string): string {
  const common: Readonly<Record<string, string>> = COMMON_PARAMS;
  return OPERATIONS[op].about[name] ?? common[name] ?? '';
}
