/** A role: an agent with a prompt, whose answers have metadata of a schema. */

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

/** What a role answers. */
export interface RoleAnswer<Meta> {
  /** The answer as the agent gave it, word for word. */
  readonly content: string;
  /** What the schema made of the metadata. */
  readonly meta: Meta;
  /** Of all calls that it took. */
  readonly usage?: Usage;
  readonly cost_usd?: number | null;
  readonly native_session_id?: string;
  readonly tool_calls?: readonly ToolCall[];
}

/** Any schema of metadata, which has members. */
export type MetaSchema = StandardSchema<object>;

export interface Role<Schema extends MetaSchema> {
  /** Rejects with ExtractError when there is no metadata as the schema wants it, and as its agent does. */
  (ctx: ThreadContext, turn?: TurnOptions): Promise<RoleAnswer<MetaOf<Schema>>>;
  readonly prompt: string;
  readonly schema: Schema;
  /** The same as an agent like any other; a system prompt that it is given is added to its own. */
  readonly agent: AgentFn;
}

/** Any role, for who does not look at its metadata. */
export interface AnyRole {
  readonly agent: AgentFn;
}

/** The adapter is what it can do, the prompt who it is, the schema what is known of its answers. */
export function createRole<Schema extends MetaSchema>(
  adapter: AgentFn,
  prompt: string,
  schema: Schema,
  extract?: ExtractSettings,
): Role<Schema> {
  const casting = castingOf<MetaOf<Schema>>(adapter, prompt, schema, extract);
  const role = async (ctx: ThreadContext, turn?: TurnOptions): Promise<RoleAnswer<MetaOf<Schema>>> => {
    const { reply, meta } = await runRoleTurn(casting, ctx, '', turn);
    const { text: _text, meta: _meta, ...told } = reply;
    return { content: answerText(reply), meta, ...told };
  };
  const agent: AgentFn = async (ctx, systemPrompt, turn): Promise<AgentReply> => {
    const { reply, meta, said } = await runRoleTurn(casting, ctx, systemPrompt, turn);
    return { ...reply, meta: { ...reply.meta, ...metaToJson(meta, said) } };
  };
  return Object.assign(role, { prompt, schema, agent });
}

function castingOf<Meta>(
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
  // A call of the tool may be in any agent's answer.
  if (closed.every(({ by, why }) => why !== null && by !== 'tool')) {
    const reasons = closed.map(({ by, why }) => `${by}: ${why}`).join('; ');
    throw new HubError('bad_options', `extract.strategies: expected one that is open, and none is: ${reasons}`);
  }
  // What the schema makes is what the type of the caller's schema says.
  return { adapter, prompt, schema: schema as StandardSchema<Meta>, settings, jsonSchema, own };
}

const LIMITS = { maxDepth: 32, maxBytes: Number.POSITIVE_INFINITY };

/** What the schema made; where that is no JSON, such as a date, what it was made of. */
function metaToJson(meta: unknown, said: JsonObject): JsonObject {
  try {
    return copyJsonObject(meta, 'meta', LIMITS);
  } catch {
    return said;
  }
}
