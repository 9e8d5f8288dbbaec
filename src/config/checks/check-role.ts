/** What of a role's settings fits together, and of those for all roles. Pure. */

import { z } from 'zod';
import { keyVariable, needsKey, parseModelChoice } from '../../cli/agent-options/model-choice.ts';
import { isObject } from '../../client/lib/option-checks.ts';
import { asError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { isStandardSchema } from '../../participants/roles/lib/standard-schema.ts';
import type { MetaSchema } from '../../participants/roles/role.ts';
import type { KeyPath, Problem } from '../reading/location.ts';
import type { RoleConfig, SecondModel } from '../shape/config.ts';

export function checkRole(id: string, role: Record<string, unknown>, env: NodeJS.ProcessEnv): readonly Problem[] {
  const path = ['roles', id];
  return [
    ...promptProblems(path, role),
    ...schemaProblems(path, role),
    ...checkSecondModel([...path, 'extract'], role.extract, env),
  ];
}

function promptProblems(path: KeyPath, { prompt, promptFile }: Record<string, unknown>): readonly Problem[] {
  if (prompt === undefined && promptFile === undefined)
    return [{ path, part: 'key', text: 'expected a prompt or a promptFile' }];
  if (prompt === undefined || promptFile === undefined) return [];
  return [{ path: [...path, 'promptFile'], part: 'key', text: 'expected one of prompt and promptFile, got both' }];
}

function schemaProblems(path: KeyPath, { schema, extract }: Record<string, unknown>): readonly Problem[] {
  if (schema === undefined) {
    if (extract === undefined) return [];
    return [{ path: [...path, 'extract'], part: 'key', text: 'it does nothing without a schema' }];
  }
  if (!isObject(schema) && !isStandardSchema(schema)) return [];
  // Its shape was looked at: it is one of the two.
  const made = toMetaSchema(schema as NonNullable<RoleConfig['schema']>);
  return 'problem' in made ? [{ path: [...path, 'schema'], text: made.problem }] : [];
}

export function checkSecondModel(path: KeyPath, extract: unknown, env: NodeJS.ProcessEnv): readonly Problem[] {
  if (!isObject(extract) || extract.model === undefined) return [];
  const { model, baseUrl, apiKey } = isObject(extract.model) ? extract.model : { model: extract.model };
  const choice = typeof model === 'string' ? parseModelChoice(model) : null;
  if (choice === null || apiKey !== undefined || (typeof baseUrl === 'string' && !needsKey(baseUrl))) return [];
  const variable = keyVariable(choice);
  if (env[variable]) return [];
  return [{ path: [...path, 'model'], text: `expected an apiKey beside it, or ${variable} in the environment` }];
}

/** The second model with its settings, also where it is only named. */
export function toSecondModel(value: SecondModel): Exclude<SecondModel, string> {
  return typeof value === 'string' ? { model: value } : value;
}

type MetaSchemaResult =
  | { readonly schema: MetaSchema; readonly jsonSchema?: JsonObject }
  | { readonly problem: string };

/** What the model is told is the JSON Schema as it was written. */
export function toMetaSchema(value: NonNullable<RoleConfig['schema']>): MetaSchemaResult {
  // A module may have one with another output; what it makes is looked at when there is an answer.
  if (isStandardSchema(value)) return { schema: value as MetaSchema };
  const jsonSchema = value as JsonObject;
  if (jsonSchema.type !== 'object') return { problem: 'expected a JSON Schema of an object: {"type": "object", …}' };
  try {
    // Metadata is JSON: nothing in its schema depends on what zod makes of it.
    const schema = z.fromJSONSchema(jsonSchema as Parameters<typeof z.fromJSONSchema>[0]) as unknown as MetaSchema;
    return { schema, jsonSchema };
  } catch (thrown) {
    return { problem: `expected a JSON Schema that can be checked here: ${asError(thrown).message}` };
  }
}
