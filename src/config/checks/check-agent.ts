/** What of an agent's settings fits together. Pure. */

import { fullTranscript } from 'parley-hub/views/full-transcript';
import { sinceMyLastTurn } from 'parley-hub/views/since-my-last-turn';
import { tokenBudget } from 'parley-hub/views/token-budget';
import { windowedSummary } from 'parley-hub/views/windowed-summary';
import { keyVariable, MODEL_FORM, needsKey, parseModelChoice } from '../../cli/agent-options/model-choice.ts';
import { findNearest } from '../../cli/terminal/nearest.ts';
import { isObject } from '../../client/lib/option-checks.ts';
import { asError } from '../../core/lib/errors.ts';
import type { Json, JsonObject } from '../../core/lib/json.ts';
import { readPrices } from '../../participants/models/usage/prices.ts';
import type { KeyPath, Problem } from '../reading/location.ts';
import { displayValue } from '../shape/check-shape.ts';
import type { AgentConfig } from '../shape/config.ts';

interface AgentContext {
  readonly raw: unknown;
  readonly env: NodeJS.ProcessEnv;
  readonly roles: unknown;
}

const PROGRAMS = ['cli', 'command', 'script'] as const;
type AgentSource = (typeof PROGRAMS)[number] | 'model';

/** Who has a use for it; what is not here is for all. */
const USERS: { readonly [Key in keyof AgentConfig]: readonly AgentSource[] } = {
  model: ['model', 'cli', 'command'],
  baseUrl: ['model'],
  apiKey: ['model'],
  maxTokens: ['model'],
  temperature: ['model'],
  stream: ['model'],
  maxRounds: ['model'],
  headers: ['model'],
  prices: ['model'],
  timeout: ['model', 'cli', 'command'],
  passEnv: ['cli', 'command'],
  cwd: ['cli', 'command'],
  permissions: ['cli'],
  transport: ['command'],
  output: ['command'],
  tools: ['model', 'script'],
};

export function checkAgent(path: KeyPath, agent: Record<string, unknown>, around: AgentContext): readonly Problem[] {
  const ways = PROGRAMS.filter((way) => agent[way] !== undefined);
  const beside = [
    ...roleProblems(path, agent, around),
    ...viewProblems(path, agent),
    ...checkPrices([...path, 'prices'], agent.prices),
  ];
  const [way = 'model', second] = ways;
  if (second !== undefined) {
    const text = `${way} and ${second} exclude each other: one of them takes the turns`;
    return [{ path: [...path, second], part: 'key', text }, ...beside];
  }
  if (way === 'model') return [...modelProblems(path, agent, around), ...idle(path, agent, way), ...beside];
  return [...idle(path, agent, way), ...placeholderProblems(path, agent), ...beside];
}

function idle(path: KeyPath, agent: Record<string, unknown>, way: AgentSource): readonly Problem[] {
  return Object.entries(USERS).flatMap(([key, users]) => {
    if (agent[key] === undefined || users.includes(way)) return [];
    const text = `it does nothing with ${way}; it is for ${users.join(' or ')}`;
    return [{ path: [...path, key], part: 'key' as const, text }];
  });
}

function placeholderProblems(path: KeyPath, { command, model }: Record<string, unknown>): readonly Problem[] {
  if (command === undefined || model === undefined || JSON.stringify(command).includes('{model}')) return [];
  return [{ path: [...path, 'model'], part: 'key', text: 'it does nothing: {model} is not in the command' }];
}

function modelProblems(path: KeyPath, agent: Record<string, unknown>, { raw, env }: AgentContext): readonly Problem[] {
  const { model, baseUrl, apiKey } = agent;
  if (model === undefined) return [{ path, part: 'key', text: 'expected one of model, cli, command and script' }];
  if (typeof model !== 'string') return [];
  const choice = parseModelChoice(model);
  const at = [...path, 'model'];
  if (choice === null)
    return [{ path: at, text: `expected ${MODEL_FORM}, or a cli or command it is for, got ${displayValue(at, raw)}` }];
  if (typeof apiKey === 'string' && !/^[\x20-\x7e]*$/.test(apiKey))
    return [{ path: [...path, 'apiKey'], text: 'expected one line of visible ASCII characters' }];
  if (typeof baseUrl === 'string' && !needsKey(baseUrl)) return [];
  const variable = keyVariable(choice);
  if (apiKey === '') return [{ path: [...path, 'apiKey'], text: 'expected a key, got nothing' }];
  if (apiKey !== undefined || env[variable]) return [];
  return [{ path: at, text: `expected an apiKey beside it, or ${variable} in the environment` }];
}

function roleProblems(
  path: KeyPath,
  { role }: Record<string, unknown>,
  { roles, raw }: AgentContext,
): readonly Problem[] {
  const known = isObject(roles) ? Object.keys(roles) : [];
  if (typeof role !== 'string' || known.includes(role)) return [];
  const at = [...path, 'role'];
  const meant = findNearest(role, known);
  const hint = meant === null ? '' : `; did you mean ${meant}?`;
  return [{ path: at, text: `expected one of roles, got ${displayValue(at, raw)}${hint}` }];
}

const VIEWS = [fullTranscript, windowedSummary, tokenBudget, sinceMyLastTurn];

/** It would be found with the first turn, by everybody. */
function viewProblems(path: KeyPath, { view }: Record<string, unknown>): readonly Problem[] {
  const { name, params = {} } = isObject(view) ? view : { name: view };
  if (typeof name !== 'string' || !isObject(params)) return [];
  const known = VIEWS.find((one) => one.name === name);
  if (known === undefined) {
    return [{ path: [...path, 'view'], text: `expected one of ${VIEWS.map((one) => one.name).join(', ')}` }];
  }
  try {
    // What came of a file is JSON.
    known.parseParams(params as JsonObject);
    return [];
  } catch (thrown) {
    return [{ path: [...path, 'view'], text: asError(thrown).message }];
  }
}

export function checkPrices(path: KeyPath, prices: unknown): readonly Problem[] {
  if (prices === undefined) return [];
  try {
    // What came of a file is JSON.
    readPrices(prices as Json);
    return [];
  } catch (thrown) {
    const { message } = asError(thrown);
    const [, at = '', text = message] = /^([\w.[\]=-]+): (.*)$/s.exec(message) ?? [];
    const inner = at.split(/[.[\]]+/).filter((key) => key !== '');
    return [{ path: [...path, ...inner.map((key) => (/^\d+$/.test(key) ? Number(key) : key))], text }];
  }
}
