/** Creates roles: agents with a prompt, whose answers carry metadata that matches a schema. */

import { badOptionError } from '../../client/lib/option-checks.ts';
import { HubError } from '../../core/lib/errors.ts';
import { copyJsonObject, type JsonObject } from '../../core/lib/json.ts';
import type { AgentFn, AgentReply, ThreadContext, ToolCall, TurnOptions, Usage } from '../agent/agent-fn.ts';
import { modelOf } from '../models/client/model-client.ts';
import { unavailableReason } from './extract/extraction.ts';
import { answerText, jsonSchemaOf } from './extract/extraction-input.ts';
import { type ExtractSettings, resolveExtractSettings } from './extract/settings.ts';
import { isStandardSchema, type MetaOf, type StandardSchema } from './lib/standard-schema.ts';
import { type RoleSetup, runRoleTurn } from './role-turn.ts';

export interface RoleAnswer<Meta> {
  /** The agent's answer, verbatim. */
  readonly content: string;
  /** The output of the schema. */
  readonly meta: Meta;
  /** Usage of all calls. */
  readonly usage?: Usage;
  readonly cost_usd?: number | null;
  readonly native_session_id?: string;
  readonly tool_calls?: readonly ToolCall[];
}

export type MetaSchema = StandardSchema<object>;

export interface Role<Schema extends MetaSchema> {
  /** Rejects with ExtractError if no valid metadata is found, and with the errors of its agent. */
  (ctx: ThreadContext, turn?: TurnOptions): Promise<RoleAnswer<MetaOf<Schema>>>;
  readonly prompt: string;
  readonly schema: Schema;
  /** The role as an agent function; a system prompt passed to it is added to the role's own. */
  readonly agent: AgentFn;
}

/** A role with any schema. */
export interface AnyRole {
  readonly agent: AgentFn;
}

/** `adapter` answers, `prompt` instructs it, `schema` validates the metadata. */
export function createRole<Schema extends MetaSchema>(
  adapter: AgentFn,
  prompt: string,
  schema: Schema,
  extract?: ExtractSettings,
): Role<Schema> {
  const setup = roleSetup<MetaOf<Schema>>(adapter, prompt, schema, extract);
  const role = async (ctx: ThreadContext, turn?: TurnOptions): Promise<RoleAnswer<MetaOf<Schema>>> => {
    const { reply, meta } = await runRoleTurn(setup, ctx, '', turn);
    const { text: _text, meta: _meta, ...rest } = reply;
    return { content: answerText(reply), meta, ...rest };
  };
  const agent: AgentFn = async (ctx, systemPrompt, turn): Promise<AgentReply> => {
    const { reply, meta, said } = await runRoleTurn(setup, ctx, systemPrompt, turn);
    return { ...reply, meta: { ...reply.meta, ...metaToJson(meta, said) } };
  };
  return Object.assign(role, { prompt, schema, agent });
}

function roleSetup<Meta>(
  adapter: AgentFn,
  prompt: string,
  schema: unknown,
  extract: ExtractSettings | undefined,
): RoleSetup<Meta> {
  if (typeof adapter !== 'function') throw badOptionError('adapter', 'an agent, such as claudeAdapter', adapter);
  if (typeof prompt !== 'string') throw badOptionError('prompt', 'text', prompt);
  if (!isStandardSchema(schema)) throw badOptionError('schema', 'a Standard Schema, such as one of zod', schema);
  const settings = resolveExtractSettings(extract);
  const jsonSchema = jsonSchemaOf(schema, settings.jsonSchema);
  const own = modelOf(adapter);
  const closed = settings.strategies.map((by) => ({ by, why: unavailableReason(by, { own, settings, jsonSchema }) }));
  // Any agent's answer may contain a call of the tool.
  if (closed.every(({ by, why }) => why !== null && by !== 'tool')) {
    const reasons = closed.map(({ by, why }) => `${by}: ${why}`).join('; ');
    throw new HubError('bad_options', `extract.strategies: none is available: ${reasons}`);
  }
  return { adapter, prompt, schema: schema as StandardSchema<Meta>, settings, jsonSchema, own };
}

const LIMITS = { maxDepth: 32, maxBytes: Number.POSITIVE_INFINITY };

/** The schema's output, or its input if the output is not JSON, such as a date. */
function metaToJson(meta: unknown, said: JsonObject): JsonObject {
  try {
    return copyJsonObject(meta, 'meta', LIMITS);
  } catch {
    return said;
  }
}
