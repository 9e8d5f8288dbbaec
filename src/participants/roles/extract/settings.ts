/** Settings of metadata extraction, for all roles or a single one, with checks and defaults. Pure. */

import { badOptionError } from '../../../client/lib/option-checks.ts';
import type { JsonObject } from '../../../core/lib/json.ts';
import type { ModelClient } from '../../models/client/model-client.ts';

/** All strategies, in their default order. */
export const EXTRACT_STRATEGIES = {
  answer: 'What the agent wrote itself: front matter, or JSON in a fenced block.',
  schema: 'The model behind the agent is asked for its metadata as JSON of the schema.',
  tool: 'The model behind the agent is asked to call a tool with its metadata.',
  model: 'A second model reads the metadata out of the answer.',
} as const;

export type ExtractStrategy = keyof typeof EXTRACT_STRATEGIES;

export interface ExtractSettings {
  /** Strategies to try, in this order. */
  readonly strategies?: readonly ExtractStrategy[] | undefined;
  /** The second model, for the strategy `model`. */
  readonly model?: ModelClient | undefined;
  /** For schemas that cannot convert themselves to JSON Schema. */
  readonly jsonSchema?: JsonObject | undefined;
  /** Add instructions for writing metadata to the prompt (default: true). */
  readonly instruct?: boolean | undefined;
  /** Number of correction requests (default: 1). */
  readonly corrections?: 0 | 1 | undefined;
}

/** The settings with defaults applied. */
export interface ResolvedExtractSettings {
  readonly strategies: readonly ExtractStrategy[];
  readonly model: ModelClient | undefined;
  readonly jsonSchema: JsonObject | undefined;
  readonly instruct: boolean;
  readonly corrections: 0 | 1;
}

/** Merges field by field; `own` overrides `all`, and undefined fields are ignored. */
export function mergeExtract<Settings extends object>(all: Settings | undefined, own: Settings | undefined): Settings {
  const values = [all, own].flatMap((settings) =>
    Object.entries(settings ?? {}).filter(([, value]) => value !== undefined),
  );
  return Object.fromEntries(values) as Settings;
}

/** Throws `bad_options` with the name of a wrong setting. */
export function resolveExtractSettings(settings: ExtractSettings = {}): ResolvedExtractSettings {
  const { strategies = KNOWN, model, jsonSchema, instruct = true, corrections = 1 } = settings;
  const unknown = Object.keys(settings).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw badOptionError(`extract.${unknown}`, `one of ${FIELDS.join(', ')}`, unknown);
  if (!Array.isArray(strategies) || strategies.length === 0)
    throw badOptionError('extract.strategies', `a list of ${ALL}`, strategies);
  for (const one of strategies)
    if (!Object.hasOwn(EXTRACT_STRATEGIES, one)) throw badOptionError('extract.strategies', ALL, one);
  if (model !== undefined && typeof model?.complete !== 'function')
    throw badOptionError('extract.model', 'a model client', model);
  if (jsonSchema !== undefined && (typeof jsonSchema !== 'object' || jsonSchema === null))
    throw badOptionError('extract.jsonSchema', 'a JSON Schema', jsonSchema);
  if (typeof instruct !== 'boolean') throw badOptionError('extract.instruct', 'true or false', instruct);
  if (corrections !== 0 && corrections !== 1) throw badOptionError('extract.corrections', '0 or 1', corrections);
  return { strategies: [...new Set(strategies)], model, jsonSchema, instruct, corrections };
}

const KNOWN = Object.keys(EXTRACT_STRATEGIES) as readonly ExtractStrategy[];
const ALL = KNOWN.join(', ');
const FIELDS: readonly string[] = ['strategies', 'model', 'jsonSchema', 'instruct', 'corrections'];
