/** Defines an operation from its schemas, and the schemas that operations share. */

import { z } from 'zod';
import { integerBetween, schemaOf } from '../../lib/schema.ts';
import type { Schema } from '../../lib/schema-contract.ts';
import { sessionId } from '../../records/fields.ts';
import type { Call, OperationRecord } from './operation.ts';

/** Help for parameters that mean the same in most operations. */
export const COMMON_PARAMS = {
  after: 'Continue after this: the `next` of the previous page.',
  agent: 'Name or id; absent = yourself.',
  at_seq: 'The state at this seq; absent = now.',
  expected_version: 'The version you know; if it has changed, the answer is `conflict`.',
  idempotency_key: 'Repeating the same key and content has no further effect.',
  limit: 'Maximum entries; a page may have fewer.',
  note: 'Free text.',
  reason: 'The reason.',
  session_id: 'The session.',
  states: 'Only entries in one of these states.',
  task_id: 'The task.',
  type: 'The session type.',
  wait: 'When to answer.',
} as const;

type Common = keyof typeof COMMON_PARAMS;

/** Fails to compile unless every parameter is explained, here or in COMMON_PARAMS. */
type About<Params> = { readonly [Name in Exclude<keyof Params, Common>]: string } & {
  readonly [Name in Extract<keyof Params, Common>]?: string;
};

type Given<C extends Call> = Omit<OperationRecord<C>, 'params' | 'result' | 'about'> & {
  readonly params: z.ZodType<C['params']> | Schema<C['params']>;
  readonly result: z.ZodType<C['result']>;
} & (Record<never, never> extends About<C['params']>
    ? { readonly about?: About<C['params']> }
    : { readonly about: About<C['params']> });

export function operation<C extends Call>(given: Given<C>): OperationRecord<C> {
  const { params, result, about = {} } = given;
  const schema = params instanceof z.ZodType ? schemaOf(params) : params;
  return { ...given, params: schema, result: schemaOf(result), about };
}

/** The requested page size. */
export const limit: z.ZodType<number | undefined> = integerBetween(1, 1000).optional();

export const flag: z.ZodType<boolean | undefined> = z.boolean({ error: 'true or false' }).optional();

export const nothing: z.ZodType<Record<string, never>> = z.object({});

export const ofSession: z.ZodType<{ readonly session_id: string }> = z.object({ session_id: sessionId });

export const duplicate: z.ZodExactOptional<z.ZodType<true>> = z.literal(true).exactOptional();
