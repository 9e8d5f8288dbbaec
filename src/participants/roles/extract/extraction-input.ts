/** Defines the input and the outcome of every extraction strategy. */

import { asError } from '../../../core/lib/errors.ts';
import { isPlainObject, type JsonObject } from '../../../core/lib/json.ts';
import type { AgentReply, ThreadContext } from '../../agent/agent-fn.ts';
import type { ModelClient, ModelReply, ModelRequest } from '../../models/client/model-client.ts';
import { check, type ExtractIssue, type StandardSchema } from '../lib/standard-schema.ts';
import type { UsageTotal } from '../lib/usage-total.ts';
import type { ResolvedExtractSettings } from './settings.ts';

export interface Extraction<Meta> {
  readonly schema: StandardSchema<Meta>;
  readonly settings: ResolvedExtractSettings;
  readonly jsonSchema: JsonSchemaOf;
  /** The model behind the agent, if there is one. */
  readonly own: ModelClient | undefined;
  readonly ctx: ThreadContext;
  readonly prompt: string;
  readonly reply: AgentReply;
  /** Calls a model within the turn. */
  complete(client: ModelClient, request: ModelRequest): Promise<ModelReply>;
  readonly spent: UsageTotal;
}

export type Outcome<Meta> =
  /** `said` is the object the schema accepted. */
  | { readonly kind: 'found'; readonly meta: Meta; readonly said: JsonObject }
  /** Metadata was found but is invalid; later strategies must not replace it. */
  | { readonly kind: 'invalid'; readonly issues: readonly ExtractIssue[]; readonly said: string }
  /** Nothing was found, or the strategy is unavailable. `inAnswer`: the agent can fix it. */
  | { readonly kind: 'absent'; readonly why: string; readonly inAnswer?: true };

export async function validateMeta<Meta>(schema: StandardSchema<Meta>, said: JsonObject): Promise<Outcome<Meta>> {
  const checked = await check(schema, said);
  if (checked.isValid) return { kind: 'found', meta: checked.value, said };
  return { kind: 'invalid', issues: checked.issues, said: JSON.stringify(said) };
}

export function invalid(message: string, said: string): Outcome<never> {
  return { kind: 'invalid', issues: [{ path: '', message }], said };
}

export type JsonSchemaOf = { readonly schema: JsonObject } | { readonly missing: string };

/** The JSON Schema that was passed in, or the one the schema reports. */
export function jsonSchemaOf(schema: StandardSchema, given: JsonObject | undefined): JsonSchemaOf {
  if (given !== undefined) return { schema: given };
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema === undefined) return missing(`a schema of ${vendor} does not report its JSON Schema`);
  try {
    // Models get plain JSON, without the JSON Schema version.
    const { $schema: _, ...rest } = JSON.parse(JSON.stringify(jsonSchema.input({ target: 'draft-2020-12' })));
    return { schema: rest as JsonObject };
  } catch (thrown) {
    return missing(`the schema has no JSON Schema (${asError(thrown).message})`);
  }
}

function missing(why: string): JsonSchemaOf {
  return { missing: `${why}; pass one as extract.jsonSchema` };
}

/** The agent's answer to the other participants: its text, or the message of a routing call. */
export function answerText({ text, tool_calls = [] }: AgentReply): string {
  if (text.trim() !== '') return text;
  const messages = tool_calls.map(({ arguments: given }) => (isPlainObject(given) ? given.message : null));
  const last = messages.findLast((message) => typeof message === 'string');
  return typeof last === 'string' ? last : text;
}
