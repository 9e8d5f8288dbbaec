/** Checks that the values of a config fit together and that references exist. Pure. */

import { z } from 'zod';
import { keyVariable, needsKey, parseModelChoice } from '../../cli/agent-options/model-choice.ts';
import { findNearest } from '../../cli/terminal/nearest.ts';
import { isObject } from '../../client/lib/option-checks.ts';
import { asError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { checkTiming } from '../../hub/schedules/next-run.ts';
import { isStandardSchema } from '../../participants/roles/lib/standard-schema.ts';
import type { MetaSchema } from '../../participants/roles/role.ts';
import type { KeyPath, Problem } from '../reading/location.ts';
import { displayValue } from '../shape/check-shape.ts';
import type { RoleConfig, SecondModel } from '../shape/config.ts';
import { checkAgent, checkPrices } from './check-agent.ts';

/** Checks every part that has the right shape, so that all problems are reported together. */
export function checkConfigValues(value: unknown, raw: unknown, env: NodeJS.ProcessEnv): readonly Problem[] {
  if (!isObject(value)) return [];
  const { agents, roles, rules, schedules, extract, prices } = value;
  return [
    ...entriesOf(agents).flatMap(([name, agent]) => checkAgent(['agents', name], agent, { raw, env, roles })),
    ...checkSecondModel(['extract'], extract, env),
    ...checkPrices(['prices'], prices),
    ...entriesOf(roles).flatMap(([id, role]) => checkRole(id, role, env)),
    ...entriesOf(rules).flatMap(([name]) => ruleProblems(name, agents)),
    ...entriesOf(schedules).flatMap(([name, schedule]) => scheduleProblems(name, schedule, raw)),
  ];
}

function entriesOf(part: unknown): readonly (readonly [string, Record<string, unknown>])[] {
  return isObject(part)
    ? Object.entries(part).flatMap(([name, one]) => (isObject(one) ? [[name, one] as const] : []))
    : [];
}

/** Rejects rules for names not in `agents`: other participants get rules with `set_rule`, which requires a grant. */
function ruleProblems(name: string, agents: unknown): readonly Problem[] {
  const names = isObject(agents) ? Object.keys(agents) : [];
  if (name === '*' || names.includes(name)) return [];
  const similar = findNearest(name, names);
  const text = `expected * or the name of one of agents${similar === null ? '' : `; did you mean ${similar}?`}`;
  return [{ path: ['rules', name], part: 'key', text }];
}

function scheduleProblems(
  name: string,
  { cron, zone = 'UTC' }: Record<string, unknown>,
  raw: unknown,
): readonly Problem[] {
  if (typeof cron !== 'string' || typeof zone !== 'string') return [];
  try {
    checkTiming(cron, zone);
    return [];
  } catch (thrown) {
    const { message } = asError(thrown);
    const key = message.startsWith('zone') ? 'zone' : 'cron';
    const path = ['schedules', name, key];
    const [expected = ''] = message.replace(/^\w+: /, '').split(', got ');
    return [{ path, text: `${expected}, got ${displayValue(path, raw)}` }];
  }
}

function checkRole(id: string, role: Record<string, unknown>, env: NodeJS.ProcessEnv): readonly Problem[] {
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
    return [{ path: [...path, 'extract'], part: 'key', text: 'has no effect without a schema' }];
  }
  if (!isObject(schema) && !isStandardSchema(schema)) return [];
  const meta = toMetaSchema(schema as NonNullable<RoleConfig['schema']>);
  return 'problem' in meta ? [{ path: [...path, 'schema'], text: meta.problem }] : [];
}

function checkSecondModel(path: KeyPath, extract: unknown, env: NodeJS.ProcessEnv): readonly Problem[] {
  if (!isObject(extract) || extract.model === undefined) return [];
  const { model, baseUrl, apiKey } = isObject(extract.model) ? extract.model : { model: extract.model };
  const choice = typeof model === 'string' ? parseModelChoice(model) : null;
  if (choice === null || apiKey !== undefined || (typeof baseUrl === 'string' && !needsKey(baseUrl))) return [];
  const variable = keyVariable(choice);
  if (env[variable]) return [];
  return [{ path: [...path, 'model'], text: `set apiKey, or ${variable} in the environment` }];
}

export function toSecondModel(value: SecondModel): Exclude<SecondModel, string> {
  return typeof value === 'string' ? { model: value } : value;
}

type MetaSchemaResult =
  | { readonly schema: MetaSchema; readonly jsonSchema?: JsonObject }
  | { readonly problem: string };

/** Converts a schema for checking answers; models get the JSON Schema as written. */
export function toMetaSchema(value: NonNullable<RoleConfig['schema']>): MetaSchemaResult {
  // A module may export a schema with a different output type; each answer is checked.
  if (isStandardSchema(value)) return { schema: value as MetaSchema };
  const jsonSchema = value as JsonObject;
  if (jsonSchema.type !== 'object') return { problem: 'expected a JSON Schema of an object: {"type": "object", …}' };
  try {
    // The output of a zod schema that was made from a JSON Schema is JSON.
    const schema = z.fromJSONSchema(jsonSchema as Parameters<typeof z.fromJSONSchema>[0]) as unknown as MetaSchema;
    return { schema, jsonSchema };
  } catch (thrown) {
    return { problem: `expected a supported JSON Schema: ${asError(thrown).message}` };
  }
}
