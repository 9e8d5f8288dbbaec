/** Checks that an agent's settings fit together. Pure. */

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

/** The kinds of agent that a setting applies to; settings not listed apply to all. */
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
    const text = `${way} and ${second} exclude each other: an agent has one program`;
    return [{ path: [...path, second], part: 'key', text }, ...beside];
  }
  if (way === 'model') return [...modelProblems(path, agent, around), ...idle(path, agent, way), ...beside];
  return [...idle(path, agent, way), ...placeholderProblems(path, agent), ...beside];
}

function idle(path: KeyPath, agent: Record<string, unknown>, way: AgentSource): readonly Problem[] {
  return Object.entries(USERS).flatMap(([key, users]) => {
    if (agent[key] === undefined || users.includes(way)) return [];
    const text = `has no effect with ${way}; it applies to ${users.join(', ')}`;
    return [{ path: [...path, key], part: 'key' as const, text }];
  });
}

function placeholderProblems(path: KeyPath, { command, model }: Record<string, unknown>): readonly Problem[] {
  if (command === undefined || model === undefined || JSON.stringify(command).includes('{model}')) return [];
  return [{ path: [...path, 'model'], part: 'key', text: 'has no effect: the command has no {model}' }];
}

function modelProblems(path: KeyPath, agent: Record<string, unknown>, { raw, env }: AgentContext): readonly Problem[] {
  const { model, baseUrl, apiKey } = agent;
  if (model === undefined) return [{ path, part: 'key', text: 'expected one of model, cli, command and script' }];
  if (typeof model !== 'string') return [];
  const choice = parseModelChoice(model);
  const at = [...path, 'model'];
  if (choice === null)
    return [{ path: at, text: `expected ${MODEL_FORM}, or a cli or command to use it, got ${displayValue(at, raw)}` }];
  if (typeof apiKey === 'string' && !/^[\x20-\x7e]*$/.test(apiKey))
    return [{ path: [...path, 'apiKey'], text: 'expected one line of visible ASCII characters' }];
  if (typeof baseUrl === 'string' && !needsKey(baseUrl)) return [];
  const variable = keyVariable(choice);
  if (apiKey === '') return [{ path: [...path, 'apiKey'], text: 'expected a key, got nothing' }];
  if (apiKey !== undefined || env[variable]) return [];
  return [{ path: at, text: `set apiKey, or ${variable} in the environment` }];
}

function roleProblems(
  path: KeyPath,
  { role }: Record<string, unknown>,
  { roles, raw }: AgentContext,
): readonly Problem[] {
  const known = isObject(roles) ? Object.keys(roles) : [];
  if (typeof role !== 'string' || known.includes(role)) return [];
  const at = [...path, 'role'];
  const similar = findNearest(role, known);
  const hint = similar === null ? '' : `; did you mean ${similar}?`;
  return [{ path: at, text: `expected one of roles, got ${displayValue(at, raw)}${hint}` }];
}

const VIEWS = [fullTranscript, windowedSummary, tokenBudget, sinceMyLastTurn];

/** Checks the view; with a wrong one, the agent would fail at its first turn. */
function viewProblems(path: KeyPath, { view }: Record<string, unknown>): readonly Problem[] {
  const { name, params = {} } = isObject(view) ? view : { name: view };
  if (typeof name !== 'string' || !isObject(params)) return [];
  const known = VIEWS.find((one) => one.name === name);
  if (known === undefined) {
    return [{ path: [...path, 'view'], text: `expected one of ${VIEWS.map((one) => one.name).join(', ')}` }];
  }
  try {
    known.parseParams(params as JsonObject);
    return [];
  } catch (thrown) {
    return [{ path: [...path, 'view'], text: asError(thrown).message }];
  }
}

export function checkPrices(path: KeyPath, prices: unknown): readonly Problem[] {
  if (prices === undefined) return [];
  try {
    readPrices(prices as Json);
    return [];
  } catch (thrown) {
    const { message } = asError(thrown);
    const [, at = '', text = message] = /^([\w.[\]=-]+): (.*)$/s.exec(message) ?? [];
    const inner = at.split(/[.[\]]+/).filter((key) => key !== '');
    return [{ path: [...path, ...inner.map((key) => (/^\d+$/.test(key) ? Number(key) : key))], text }];
  }
}
