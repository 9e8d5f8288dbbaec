/** Defines the paths of the HTTP API: every operation by name, friendly paths for some, and parameters in a query. */

import { invalidValueError } from '../../core/lib/json.ts';
import { OPERATIONS, type OperationName } from '../../core/protocol/operations/operations.ts';

export const API = '/api/v1';

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Path relative to `/api/v1`; `{name}` is a parameter of the operation. */
  readonly path: string;
  readonly op: OperationName;
}

const FRIENDLY: readonly Route[] = [
  { method: 'GET', path: '/health', op: 'health' },
  { method: 'GET', path: '/sessions', op: 'list_sessions' },
  { method: 'POST', path: '/sessions', op: 'create_session' },
  { method: 'GET', path: '/sessions/{session_id}', op: 'get_session' },
  { method: 'GET', path: '/sessions/{session_id}/log', op: 'read_log' },
  { method: 'GET', path: '/sessions/{session_id}/view', op: 'read_view' },
  { method: 'POST', path: '/sessions/{session_id}/post', op: 'post' },
  { method: 'POST', path: '/sessions/{session_id}/close', op: 'close_session' },
  { method: 'GET', path: '/sessions/{session_id}/tasks', op: 'list_tasks' },
  { method: 'GET', path: '/agents', op: 'list_agents' },
  { method: 'GET', path: '/agents/{agent}', op: 'get_agent' },
  { method: 'GET', path: '/agents/{agent}/resume', op: 'get_resume' },
  { method: 'GET', path: '/agents/{agent}/skill', op: 'get_skill' },
  { method: 'GET', path: '/agents/{agent}/rule', op: 'get_rule' },
  { method: 'GET', path: '/turns', op: 'pending_turns' },
  { method: 'GET', path: '/schedules', op: 'list_schedules' },
  { method: 'GET', path: '/schedules/{schedule_id}', op: 'get_schedule' },
  { method: 'GET', path: '/tokens', op: 'list_tokens' },
];

export const ROUTES: readonly Route[] = [
  ...Object.values(OPERATIONS).map(({ name }): Route => ({ method: 'POST', path: `/${name}`, op: name })),
  ...FRIENDLY,
];

export interface RouteMatch {
  readonly op: OperationName;
  /** Parameters in the path. */
  readonly params: Readonly<Record<string, string>>;
}

const patterns = ROUTES.map((route) => ({ ...route, parts: route.path.split('/') }));

/** `path` is relative to `/api/v1`. Returns null if there is no such route. */
export function matchRoute(method: string, path: string): RouteMatch | null {
  const given = path.split('/');
  for (const { op, parts, ...route } of patterns) {
    if (route.method !== method || parts.length !== given.length) continue;
    const params = paramsIn(parts, given);
    if (params !== null) return { op, params };
  }
  return null;
}

/** Parameter names in a path, in order. */
export function pathParams(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

function paramsIn(parts: readonly string[], given: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const value = decoded(given[at] ?? '');
    const [name] = pathParams(part);
    if (name === undefined ? part !== value : value === null || value === '') return null;
    if (name !== undefined && value !== null) params[name] = value;
  }
  return params;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

interface Shape {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Shape[];
}

const NUMBER = /^-?\d+(\.\d+)?$/;

const shapes = new Map<OperationName, Readonly<Record<string, Shape>>>();

/** Parses the query of a GET by the types in the operation's schema. Skips `as`, which is not a parameter. */
export function queryParams(op: OperationName, query: URLSearchParams): Record<string, unknown> {
  const known = shapesOf(op);
  const params: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    if (name === 'as') continue;
    const shape = Object.hasOwn(known, name) ? known[name] : undefined;
    if (shape === undefined)
      throw invalidValueError('query', `one of ${['as', ...Object.keys(known)].join(', ')}`, name);
    params[name] = parseQueryValue(shape, query.getAll(name), `query.${name}`);
  }
  return params;
}

function shapesOf(op: OperationName): Readonly<Record<string, Shape>> {
  const known = shapes.get(op);
  if (known !== undefined) return known;
  const { properties = {} } = OPERATIONS[op].params.jsonSchema() as { properties?: Record<string, Shape> };
  shapes.set(op, properties);
  return properties;
}

/** Parses one value. A value of the wrong type stays text; the operation then rejects it, naming the expected type. */
function parseQueryValue(shape: Shape, texts: readonly string[], where: string): unknown {
  const [text = ''] = texts;
  const type = typeOf(shape);
  if (type === 'array') return texts.flatMap((one) => one.split(','));
  if (texts.length > 1) throw invalidValueError(where, 'one value', texts.join(' and '));
  switch (type) {
    case 'integer':
    case 'number':
      return NUMBER.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'object':
      return parsed(text, where);
    default:
      return text;
  }
}

function typeOf({ type, anyOf = [] }: Shape): string | undefined {
  if (typeof type === 'string') return type;
  return type?.find((one) => one !== 'null') ?? anyOf.map(typeOf).find((one) => one !== 'null');
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidValueError(where, 'an object as JSON', text);
  }
}
