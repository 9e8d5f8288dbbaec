// docs/reference/http.md says what the tables say.

import { expect, it } from 'vitest';
import { STATUS } from '../../../src/server/http/respond.ts';
import { matchRoute, ROUTES } from '../../../src/server/http/routes.ts';
import { MEASURES } from '../../../src/server/telemetry/metrics.ts';
import { read } from '../../package/repository.ts';

const text = read('docs/reference/http.md');

function table(header: string): string[][] {
  const lines = text.split('\n');
  const rows = lines.slice(lines.indexOf(header) + 2);
  return rows.slice(0, rows.indexOf('')).map((row) => row.slice(2, -2).split(' | '));
}

it('[HT1] has every friendly path with its operation', () => {
  const friendly = ROUTES.filter(({ method, path, op }) => method === 'GET' || path !== `/${op}`);
  expect(table('| path | operation |')).toEqual(
    friendly.map(({ method, path, op }) => [`\`${method} ${path}\``, `\`${op}\``]),
  );
});

it('[HT4] has every code with its status', () => {
  expect(table('| code | status |')).toEqual(
    Object.entries(STATUS).map(([code, status]) => [`\`${code}\``, String(status)]),
  );
});

it('[MO1] has every metric', () => {
  expect(table('| metric | kind | |')).toEqual(MEASURES.map(({ name, kind, help }) => [`\`${name}\``, kind, help]));
});

it('[HT1] calls only existing paths', () => {
  const calls = [...text.matchAll(/curl -s (-X POST )?'?http:\/\/127\.0\.0\.1:4747\/api\/v1(\/[\w/]+)/g)];
  expect(calls).toHaveLength(4);
  for (const [, post, path = ''] of calls) expect(matchRoute(post === undefined ? 'GET' : 'POST', path)).not.toBe(null);
});
