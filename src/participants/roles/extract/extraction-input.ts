/** What every way to the metadata is given, and what it comes to. */

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
  /** The model behind the agent, if it is one. */
  readonly own: ModelClient | undefined;
  readonly ctx: ThreadContext;
  readonly prompt: string;
  readonly reply: AgentReply;
  /** Calls a model, as long as the turn lasts. */
  complete(client: ModelClient, request: ModelRequest): Promise<ModelReply>;
  readonly spent: UsageTotal;
}

export type Outcome<Meta> =
  /** `said` is what the schema took. */
  | { readonly kind: 'found'; readonly meta: Meta; readonly said: JsonObject }
  /** There was something, and it cannot be taken: nobody else may put something better in its place. */
  | { readonly kind: 'invalid'; readonly issues: readonly ExtractIssue[]; readonly said: string }
  /** Nothing was said, or this way is not open. `inAnswer` = who gave the answer can do something about it. */
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

/** A schema as JSON Schema: as given, or as the schema describes itself. */
export function jsonSchemaOf(schema: StandardSchema, given: JsonObject | undefined): JsonSchemaOf {
  if (given !== undefined) return { schema: given };
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema === undefined) return missing(`a schema of ${vendor} does not tell its JSON Schema`);
  try {
    // JSON text is what is sent of it; which version of JSON Schema it is in is no model's business.
    const { $schema: _, ...rest } = JSON.parse(JSON.stringify(jsonSchema.input({ target: 'draft-2020-12' })));
    return { schema: rest as JsonObject };
  } catch (thrown) {
    return missing(`the schema has no JSON Schema (${asError(thrown).message})`);
  }
}

function missing(why: string): JsonSchemaOf {
  return { missing: `${why}; give one as extract.jsonSchema` };
}

/** What an agent said to the others: its text, or the message it passes the turn on with. */
export function answerText({ text, tool_calls = [] }: AgentReply): string {
  if (text.trim() !== '') return text;
  const messages = tool_calls.map(({ arguments: given }) => (isPlainObject(given) ? given.message : null));
  const last = messages.findLast((message) => typeof message === 'string');
  return typeof last === 'string' ? last : text;
}
