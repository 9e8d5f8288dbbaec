/**
 * One operation of the wire as a record: parameters, result, who may call it, what it may answer with. The groups beside this
 * file hold the records; the handlers are in the hub; documents, HTTP, clients and test matrices are derived.
 */

import type { WireCode } from '../../lib/errors.ts';
import type { Schema } from '../../lib/schema-contract.ts';

/**
 * anyone = also an unbound connection; bound = any identity; self = only for itself, unless it has a grant; participant =
 * of that session; owner = of that task; operator, observer, enroller = who has the grant `operate`, `observe`, `enrol`.
 */
export type OperationAccess =
  | 'anyone'
  | 'bound'
  | 'self'
  | 'participant'
  | 'active participant'
  | 'invitee'
  | 'creator'
  | 'owner'
  | 'operator'
  | 'observer'
  | 'enroller';

/** Whether a client repeats a request whose answer was lost. `never` = a repeat would act twice, or be refused. */
export type RetrySafety = 'always' | 'with a key' | 'never';

/** What an operation takes and gives. */
export interface Call {
  params: object;
  result: object;
}

export interface OperationRecord<C extends Call> {
  readonly params: Schema<C['params']>;
  /** A contract for peers and tests; the hub spends no time on checking its own answers. */
  readonly result: Schema<C['result']>;
  readonly who: OperationAccess;
  /** Codes of its own, beside bad_frame, unauthenticated, timeout, unavailable and internal, which any may give. */
  readonly errors: readonly WireCode[];
  readonly help: string;
  readonly retry: RetrySafety;
  /** What its parameters mean, where COMMON_PARAMS does not say it. */
  readonly about: Readonly<Record<string, string>>;
}

/** A record for each operation of a group. */
export type Operations<Group extends { [Name in keyof Group]: Call }> = {
  readonly [Name in keyof Group]: OperationRecord<Group[Name]>;
};
