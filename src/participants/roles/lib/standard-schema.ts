/** The part of Standard Schema v1 used here, without a dependency on any library. */

import { asError } from '../../../core/lib/errors.ts';
import { describeValue } from '../../../core/lib/json.ts';
import { AgentError } from '../../agent/agent-error.ts';

/** A schema of zod, valibot, ArkType and others, or a hand-written one. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Standard JSON Schema; some libraries lack it. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => object } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The output type of a schema. */
export type MetaOf<Schema extends StandardSchema> = Schema extends StandardSchema<infer Output> ? Output : never;

/** A problem and its path, which is empty for the value itself. */
export interface ExtractIssue {
  readonly path: string;
  readonly message: string;
}

export type CheckResult<Output> =
  | { readonly isValid: true; readonly value: Output }
  | { readonly isValid: false; readonly issues: readonly ExtractIssue[] };

export async function check<Output>(schema: StandardSchema<Output>, value: unknown): Promise<CheckResult<Output>> {
  const result = await resultOf(schema, value);
  if (result.issues === undefined) return { isValid: true, value: result.value };
  const issues = result.issues.map(({ path = [], message }) => ({ path: pathOf(path), message }));
  return { isValid: false, issues: issues.length === 0 ? [{ path: '', message: 'the schema rejects it' }] : issues };
}

/** Throws if the schema itself fails: no other answer could fix that. */
async function resultOf<Output>(schema: StandardSchema<Output>, value: unknown): Promise<StandardResult<Output>> {
  let result: unknown;
  try {
    result = await schema['~standard'].validate(value);
  } catch (thrown) {
    throw schemaError(asError(thrown).message, thrown);
  }
  if (typeof result === 'object' && result !== null) return result as StandardResult<Output>;
  throw schemaError(`expected {value} or {issues}, got ${describeValue(result)}`);
}

function schemaError(problem: string, cause?: unknown): AgentError {
  const details = { tool: 'extract' };
  return new AgentError('bad_output', `the schema of the role failed: ${problem}`, details, { cause });
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  // Some libraries' schemas are functions.
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard: unknown = '~standard' in value ? value['~standard'] : null;
  if (typeof standard !== 'object' || standard === null || !('validate' in standard)) return false;
  return typeof standard.validate === 'function';
}

function pathOf(path: NonNullable<StandardIssue['path']>): string {
  return path.reduce<string>((whole, segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    if (typeof key === 'number') return `${whole}[${key}]`;
    return whole === '' ? String(key) : `${whole}.${String(key)}`;
  }, '');
}
