/** How metadata is got out of answers: what may be set, for all roles or for one, and what holds where nothing is. Pure. */

import { badOptionError } from '../../../client/lib/option-checks.ts';
import type { JsonObject } from '../../../core/lib/json.ts';
import type { ModelClient } from '../../models/client/model-client.ts';

/** Every way there is, in the order in which they are tried unless told otherwise. */
export const EXTRACT_STRATEGIES = {
  answer: 'What the agent wrote itself: front matter, or JSON in a fenced block.',
  schema: 'The model behind the agent is asked for its metadata, as JSON of the schema.',
  tool: 'The model behind the agent is asked to call a tool with its metadata.',
  model: 'A second model reads the metadata out of the answer.',
} as const;

export type ExtractStrategy = keyof typeof EXTRACT_STRATEGIES;

export interface ExtractSettings {
  /** Which ways, in this order. */
  readonly strategies?: readonly ExtractStrategy[] | undefined;
  /** The second model. */
  readonly model?: ModelClient | undefined;
  /** For schemas that cannot say what they are as JSON Schema. */
  readonly jsonSchema?: JsonObject | undefined;
  /** Whether the agent is told how to write its metadata, after its prompt. */
  readonly instruct?: boolean | undefined;
  /** How often what is wrong is told, and asked for again: 1, or 0 for never. */
  readonly corrections?: 0 | 1 | undefined;
}

/** With everything in it. */
export interface ResolvedExtractSettings {
  readonly strategies: readonly ExtractStrategy[];
  readonly model: ModelClient | undefined;
  readonly jsonSchema: JsonObject | undefined;
  readonly instruct: boolean;
  readonly corrections: 0 | 1;
}

/** Those for all, and over them those of one role: field by field, each as a whole. What is undefined says nothing. */
export function mergeExtract<Settings extends object>(all: Settings | undefined, own: Settings | undefined): Settings {
  const said = [all, own].flatMap((settings) =>
    Object.entries(settings ?? {}).filter(([, value]) => value !== undefined),
  );
  // Every member is one of either, under its own name.
  return Object.fromEntries(said) as Settings;
}

/** Refuses what is wrong with them by name. */
export function resolveExtractSettings(settings: ExtractSettings = {}): ResolvedExtractSettings {
  const { strategies = KNOWN, model, jsonSchema, instruct = true, corrections = 1 } = settings;
  const unknown = Object.keys(settings).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw badOptionError(`extract.${unknown}`, `one of ${FIELDS.join(', ')}`, unknown);
  if (!Array.isArray(strategies) || strategies.length === 0)
    throw badOptionError('extract.strategies', `a list of ${ALL}`, strategies);
  for (const one of strategies)
    if (!Object.hasOwn(EXTRACT_STRATEGIES, one)) throw badOptionError('extract.strategies', ALL, one);
  if (model !== undefined && typeof model?.complete !== 'function')
    throw badOptionError('extract.model', 'a client of a model', model);
  if (jsonSchema !== undefined && (typeof jsonSchema !== 'object' || jsonSchema === null))
    throw badOptionError('extract.jsonSchema', 'a JSON Schema', jsonSchema);
  if (typeof instruct !== 'boolean') throw badOptionError('extract.instruct', 'true or false', instruct);
  if (corrections !== 0 && corrections !== 1) throw badOptionError('extract.corrections', '0 or 1', corrections);
  return { strategies: [...new Set(strategies)], model, jsonSchema, instruct, corrections };
}

// The keys of a record of literals are its keys.
const KNOWN = Object.keys(EXTRACT_STRATEGIES) as readonly ExtractStrategy[];
const ALL = KNOWN.join(', ');
const FIELDS: readonly string[] = ['strategies', 'model', 'jsonSchema', 'instruct', 'corrections'];
