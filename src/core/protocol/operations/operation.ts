/** The record of one operation: parameters, result, access and errors. Handlers are in the hub; documents, HTTP, clients
 * and test matrices are derived from the records. */

import type { WireCode } from '../../lib/errors.ts';
import type { Schema } from '../../lib/schema-contract.ts';

/** The identities that may call it. anyone: also unbound connections; bound: any identity; self: about itself, or with a grant;
 * participant: of that session; owner: of that task; operator, observer, enroller: with the grant of that role. */
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

/** Whether a client may repeat a request whose answer was lost. `never` = a repeat would act twice, or be rejected. */
export type RetrySafety = 'always' | 'with a key' | 'never';

export interface Call {
  params: object;
  result: object;
  /** Set if an unbound connection may call it; the record then has `who: 'anyone'`. */
  open?: true;
}

export interface OperationRecord<C extends Call> {
  readonly params: Schema<C['params']>;
  /** A contract for peers and tests; the hub does not check its own answers. */
  readonly result: Schema<C['result']>;
  readonly who: C extends { open: true } ? 'anyone' : Exclude<OperationAccess, 'anyone'>;
  /** Errors of this operation, in addition to bad_frame, unauthenticated, timeout, unavailable and internal. */
  readonly errors: readonly WireCode[];
  readonly help: string;
  readonly retry: RetrySafety;
  /** Help for parameters that COMMON_PARAMS does not explain. */
  readonly about: Readonly<Record<string, string>>;
}

export type Operations<Group extends { [Name in keyof Group]: Call }> = {
  readonly [Name in keyof Group]: OperationRecord<Group[Name]>;
};
