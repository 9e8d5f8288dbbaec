/** The paths of the HTTP API: every operation by its name, and the friendly ones, each of which is one of those operations. */

import { OPERATIONS, type OperationName } from '../../core/operations.ts';

export const API = '/api/v1';

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Below `/api/v1`; `{name}` is a parameter of the operation. */
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

export interface Matched {
  readonly op: OperationName;
  /** What the path says. */
  readonly params: Readonly<Record<string, string>>;
}

const patterns = ROUTES.map((route) => ({ ...route, parts: route.path.split('/') }));

/** `path` is below `/api/v1`; null = there is nothing. */
export function matchedRoute(method: string, path: string): Matched | null {
  const given = path.split('/');
  for (const { op, parts, ...route } of patterns) {
    if (route.method !== method || parts.length !== given.length) continue;
    const params = paramsIn(parts, given);
    if (params !== null) return { op, params };
  }
  return null;
}

/** The parameters a path names, in order. */
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
