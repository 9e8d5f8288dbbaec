/** An agent in its role: what it is told, and what its answers carry. */

import type { AgentFn } from '../../participants/agent/agent-fn.ts';
import { type ExtractSettings, mergeExtract } from '../../participants/roles/extract/settings.ts';
import { createRole } from '../../participants/roles/role.ts';
import { clientOfModel, keyVariable, modelChoice } from '../../cli/agent-options/model-choice.ts';
import type { Config, ExtractConfig, RoleConfig } from '../../config/shape/config.ts';
import { secondModel } from '../../config/checks/check-role.ts';
import { metaSchema } from './meta-schema.ts';

export interface Cast {
  readonly agent: AgentFn;
  readonly systemPrompt: string;
}

/** A role with a schema has its prompt in it; of any other the prompt is all there is. */
export function cast(
  agent: AgentFn,
  prompts: { readonly role: string; readonly own: string },
  role: RoleConfig | undefined,
  { extract }: Pick<Config, 'extract'>,
  env: NodeJS.ProcessEnv,
): Cast {
  if (role?.schema === undefined) {
    const said = [prompts.role, prompts.own].filter((part) => part.trim() !== '');
    return { agent, systemPrompt: said.join('\n\n') };
  }
  const made = metaSchema(role.schema);
  if ('problem' in made) throw new Error(made.problem);
  const settings = settingsOf(mergeExtract(extract, role.extract), env);
  const { jsonSchema } = made;
  const all = jsonSchema === undefined ? settings : { ...settings, jsonSchema };
  return { agent: createRole(agent, prompts.role, made.schema, all).agent, systemPrompt: prompts.own };
}

function settingsOf({ model, ...rest }: ExtractConfig, env: NodeJS.ProcessEnv): ExtractSettings {
  if (model === undefined) return rest;
  const { model: given, ...settings } = secondModel(model);
  const choice = modelChoice(given);
  if (choice === null) return rest;
  return { ...rest, model: clientOfModel(choice, { apiKey: env[keyVariable(choice)], ...settings }) };
}
