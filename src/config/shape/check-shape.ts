/** The shape of a config: all that is wrong with it at once, with what was expected and what came. Pure. */

import type { z } from 'zod';
import { findNearest } from '../../cli/terminal/nearest.ts';
import { describeValue } from '../../core/lib/json.ts';
import { deepestIssue, expectation, valueAt } from '../../core/lib/schema.ts';
import type { KeyPath, Problem } from '../reading/location.ts';
import { isReference } from '../reading/variables.ts';
import type { Config } from './config.ts';
import { configSchema } from './schema.ts';

type ShapeResult = { readonly config: Config } | { readonly problems: readonly Problem[] };

/** What is shown of a value is as the file has it, `raw`: what variables stand for is nobody's to read. */
export function checkShape(value: unknown, raw: unknown): ShapeResult {
  const first = configSchema.safeParse(value, { error: expectation });
  if (first.success) return { config: first.data };
  const meant = first.error.issues.reduce((rest, issue) => withNumber(rest, issue, raw), value);
  const second = meant === value ? first : configSchema.safeParse(meant, { error: expectation });
  if (second.success) return { config: second.data };
  return { problems: second.error.issues.flatMap((issue) => problemsOf(issue, raw)) };
}

/** `port: ${PORT}` is text in the file and a number in what is meant. */
function withNumber(value: unknown, issue: z.core.$ZodIssue, raw: unknown): unknown {
  const takes = takenBy(issue);
  if (takes.length === 0 || !isReference(valueAt(raw, issue.path))) return value;
  const text = String(valueAt(value, issue.path)).trim();
  if (takes.includes('boolean') && /^(true|false)$/.test(text)) return replacedAt(value, issue.path, text === 'true');
  if (!takes.includes('number') || !/^-?\d+(\.\d+)?$/.test(text)) return value;
  return replacedAt(value, issue.path, Number(text));
}

/** What may be meant where a text is not taken; of several shapes, either. */
function takenBy(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'invalid_type') return [issue.expected];
  return issue.code === 'invalid_union' ? ['boolean', 'number'] : [];
}

function replacedAt(value: unknown, [key, ...rest]: KeyPath, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((one, at) => (at === key ? replacedAt(one, rest, by) : one));
  // The path leads through objects: zod has walked it.
  const object = value as Readonly<Record<PropertyKey, unknown>>;
  return { ...object, [key]: replacedAt(object[key], rest, by) };
}

function problemsOf(value: z.core.$ZodIssue, raw: unknown): readonly Problem[] {
  const issue = deepestIssue(value) ?? value;
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => strange(path, key, issue.message));
  if (issue.code === 'invalid_key') {
    const expected = issue.issues[0]?.message ?? 'another name';
    return [{ path, part: 'key', text: `expected ${expected}` }];
  }
  return [{ path, text: `expected ${issue.message}, got ${displayValue(path, raw)}` }];
}

/** Settings of the hub that were meant one level deeper. */
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

/** More of them would be no help. */
const MAX_LISTED = 24;

function strange(path: KeyPath, key: string, message: string): Problem {
  const known = message.replace(/^one of /, '').split(', ');
  const at = { path: [...path, key], part: 'key' } as const;
  const camel = key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (path.length === 0 && OF_HUB.includes(camel)) return { ...at, text: `expected it in hub: hub.${camel}` };
  const meant = known.includes(camel) ? camel : findNearest(key, known);
  const list = known.length > MAX_LISTED ? '' : `; there are ${known.join(', ')}`;
  const hint = meant === null ? list : `; did you mean ${meant}?`;
  return { ...at, text: `there is no such setting${hint}` };
}

/** Keys, and addresses that may have one in them, are never shown, also not to who wrote them: errors end up in logs. */
export function displayValue(path: KeyPath, raw: unknown): string {
  const value = valueAt(raw, path);
  const isSecret = path.some((key) => /key$|url$|token$|secret|password|headers/i.test(String(key)));
  if (!isSecret || value === undefined || isReference(value)) return describeValue(value);
  return typeof value === 'string' ? 'a text that is not shown' : 'what is no text';
}
