/** What of a role's settings fits together, and of those for all roles. Pure. */

import { isObject } from '../../client/lib/option-checks.ts';
import { isStandardSchema } from '../../participants/roles/lib/standard-schema.ts';
import { keyVariable, modelChoice, needsKey } from '../../cli/agent-options/model-choice.ts';
import type { RoleConfig, SecondModel } from '../shape/config.ts';
import { metaSchema } from '../../node/config/meta-schema.ts';
import type { Problem } from '../../node/config/problems.ts';
import type { KeyPath } from '../../node/config/source.ts';

export function roleProblems(id: string, role: Record<string, unknown>, env: NodeJS.ProcessEnv): readonly Problem[] {
  const path = ['roles', id];
  return [
    ...promptProblems(path, role),
    ...schemaProblems(path, role),
    ...secondModelProblems([...path, 'extract'], role.extract, env),
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
  const made = metaSchema(schema as NonNullable<RoleConfig['schema']>);
  return 'problem' in made ? [{ path: [...path, 'schema'], text: made.problem }] : [];
}

export function secondModelProblems(path: KeyPath, extract: unknown, env: NodeJS.ProcessEnv): readonly Problem[] {
  if (!isObject(extract) || extract.model === undefined) return [];
  const { model, baseUrl, apiKey } = isObject(extract.model) ? extract.model : { model: extract.model };
  const choice = typeof model === 'string' ? modelChoice(model) : null;
  if (choice === null || apiKey !== undefined || (typeof baseUrl === 'string' && !needsKey(baseUrl))) return [];
  const variable = keyVariable(choice);
  if (env[variable]) return [];
  return [{ path: [...path, 'model'], text: `expected an apiKey beside it, or ${variable} in the environment` }];
}

/** The second model with its settings, also where it is only named. */
export function secondModel(given: SecondModel): Exclude<SecondModel, string> {
  return typeof given === 'string' ? { model: given } : given;
}
