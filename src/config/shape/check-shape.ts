/** Checks the shape of a config and reports all problems with expected and received values. Pure. */

import type { z } from 'zod';
import { findNearest } from '../../cli/terminal/nearest.ts';
import { describeValue } from '../../core/lib/json.ts';
import { deepestIssue, expectation, valueAt } from '../../core/lib/schema.ts';
import type { KeyPath, Problem } from '../reading/location.ts';
import { isReference } from '../reading/variables.ts';
import type { Config } from './config.ts';
import { configSchema } from './schema.ts';

type ShapeResult = { readonly config: Config } | { readonly problems: readonly Problem[] };

/** `raw` is the unexpanded value for messages: values of variables must not appear there. */
export function checkShape(value: unknown, raw: unknown): ShapeResult {
  const first = configSchema.safeParse(value, { error: expectation });
  if (first.success) return { config: first.data };
  const converted = first.error.issues.reduce((rest, issue) => withNumber(rest, issue, raw), value);
  const second = converted === value ? first : configSchema.safeParse(converted, { error: expectation });
  if (second.success) return { config: second.data };
  return { problems: second.error.issues.flatMap((issue) => problemsOf(issue, raw)) };
}

/** Converts `port: ${PORT}`, which expands to text, to the expected number or boolean. */
function withNumber(value: unknown, issue: z.core.$ZodIssue, raw: unknown): unknown {
  const takes = takenBy(issue);
  if (takes.length === 0 || !isReference(valueAt(raw, issue.path))) return value;
  const text = String(valueAt(value, issue.path)).trim();
  if (takes.includes('boolean') && /^(true|false)$/.test(text)) return replacedAt(value, issue.path, text === 'true');
  if (!takes.includes('number') || !/^-?\d+(\.\d+)?$/.test(text)) return value;
  return replacedAt(value, issue.path, Number(text));
}

/** The types to convert to; a union may accept either. */
function takenBy(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'invalid_type') return [issue.expected];
  return issue.code === 'invalid_union' ? ['boolean', 'number'] : [];
}

function replacedAt(value: unknown, [key, ...rest]: KeyPath, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((one, at) => (at === key ? replacedAt(one, rest, by) : one));
  // zod has followed the path, so these are objects.
  const object = value as Readonly<Record<PropertyKey, unknown>>;
  return { ...object, [key]: replacedAt(object[key], rest, by) };
}

function problemsOf(value: z.core.$ZodIssue, raw: unknown): readonly Problem[] {
  const issue = deepestIssue(value) ?? value;
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownSetting(path, key, issue.message));
  if (issue.code === 'invalid_key') {
    const expected = issue.issues[0]?.message ?? 'another name';
    return [{ path, part: 'key', text: `expected ${expected}` }];
  }
  return [{ path, text: `expected ${issue.message}, got ${displayValue(path, raw)}` }];
}

/** Hub settings that are easily placed one level too high. */
const OF_HUB = [
  'port',
  'host',
  'data',
  'tls',
  'auth',
  'hosts',
  'origins',
  'console',
  'limits',
  'connectionLimits',
  'logLevel',
];

/** Maximum number of valid settings to list in a message. */
const MAX_LISTED = 24;

function unknownSetting(path: KeyPath, key: string, message: string): Problem {
  const known = message.replace(/^one of /, '').split(', ');
  const at = { path: [...path, key], part: 'key' } as const;
  const camel = key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (path.length === 0 && OF_HUB.includes(camel)) return { ...at, text: `belongs in hub: hub.${camel}` };
  const similar = known.includes(camel) ? camel : findNearest(key, known);
  const list = known.length > MAX_LISTED ? '' : `; valid settings: ${known.join(', ')}`;
  const hint = similar === null ? list : `; did you mean ${similar}?`;
  return { ...at, text: `unknown setting${hint}` };
}

/** Describes a value in an error. Hides API keys, and URLs, which may contain one: errors end up in logs. */
export function displayValue(path: KeyPath, raw: unknown): string {
  const value = valueAt(raw, path);
  const isSecret = path.some((key) => /key$|url$|token$|secret|password|headers/i.test(String(key)));
  if (!isSecret || value === undefined || isReference(value)) return describeValue(value);
  return typeof value === 'string' ? 'a text that is not shown' : 'a value that is not text';
}
