/** Standard Schema v1, as far as it is used here: what any library's schema can be asked, without any of them. */

import { asError } from '../../../core/lib/errors.ts';
import { describeValue } from '../../../core/lib/json.ts';
import { AgentError } from '../../agent/agent-error.ts';

/** A schema of zod, valibot, ArkType and others, or one made by hand. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Standard JSON Schema: not every library has it. */
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

/** What a schema makes of what it takes. */
export type MetaOf<Schema extends StandardSchema> = Schema extends StandardSchema<infer Output> ? Output : never;

/** What is wrong with a value, and where; the path is empty for the value itself. */
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
  return { isValid: false, issues: issues.length === 0 ? [{ path: '', message: 'the schema refuses it' }] : issues };
}

/** What is wrong with the schema itself no other answer could mend. */
async function resultOf<Output>(schema: StandardSchema<Output>, value: unknown): Promise<StandardResult<Output>> {
  let result: unknown;
  try {
    result = await schema['~standard'].validate(value);
  } catch (thrown) {
    throw new AgentError('bad_output', `the schema of the role failed: ${asError(thrown).message}`, TOOL, {
      cause: thrown,
    });
  }
  // Made by hand it may be anything.
  if (typeof result === 'object' && result !== null) return result as StandardResult<Output>;
  const problem = `the schema of the role failed: expected {value} or {issues}, got ${describeValue(result)}`;
  throw new AgentError('bad_output', problem, TOOL);
}

const TOOL = { tool: 'extract' };

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
