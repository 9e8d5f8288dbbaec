/** JSON Schema in a few words: `text, 1–64`, `list of id`, `[Envelope](#envelope) or null`. */

import { OPERATIONS, type OperationName } from 'parley-hub/core';

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly additionalProperties?: JsonSchema | boolean;
}

export function resultSchema(op: OperationName): JsonSchema {
  return OPERATIONS[op].result.jsonSchema() as JsonSchema;
}

/** Named records, by a place where each occurs. */
export const RECORDS: ReadonlyMap<string, JsonSchema> = new Map(
  Object.entries({
    Envelope: at('read_log', 'envelopes'),
    Turn: at('get_session', 'turn'),
    Session: at('get_session', 'session'),
    Participant: inside(at('get_session', 'session'), 'participants'),
    Manifest: inside(at('get_session', 'session'), 'manifest'),
    Expectation: inside(inside(at('get_session', 'session'), 'manifest'), 'expectations'),
    SessionSummary: at('list_sessions', 'sessions'),
    SearchMatch: at('search_sessions', 'matches'),
    Redaction: at('redact', 'redacted'),
    Passport: at('list_agents', 'agents'),
    FoundAgent: at('find_agent', 'agents'),
    Resume: resultSchema('get_resume'),
    Skill: resultSchema('get_skill'),
    RuleRecord: resultSchema('get_rule'),
    Task: at('list_tasks', 'tasks'),
    Schedule: resultSchema('get_schedule'),
    Token: at('list_tokens', 'tokens'),
    ViewMessage: at('read_view', 'messages'),
  }),
);

function at(op: OperationName, member: string): JsonSchema {
  return inside(resultSchema(op), member);
}

/** A member, or what a list of it or a null beside it is of. */
function inside(schema: JsonSchema, member: string): JsonSchema {
  const found = schema.properties?.[member];
  if (found === undefined) throw new Error(`no ${member} among ${Object.keys(schema.properties ?? {}).join(', ')}`);
  return found.items ?? found.anyOf?.find(({ type }) => type !== 'null') ?? found;
}

/** By what they are, not where they stand. */
function keyOf({ $schema: _, ...schema }: JsonSchema & { readonly $schema?: unknown }): string {
  return JSON.stringify(schema);
}

const names: ReadonlyMap<string, string> = new Map([...RECORDS].map(([name, schema]) => [keyOf(schema), name]));

/** The named record this is; null = it has no name. */
export function recordName(schema: JsonSchema): string | null {
  return names.get(keyOf(schema)) ?? null;
}

export function typeWords(schema: JsonSchema, self?: string): string {
  const name = recordName(schema);
  if (name !== null && name !== self) return `[${name}](#${name.toLowerCase()})`;
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((one) => typeWords(one)))].join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(', ');
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeWords({ ...schema, type })).join(' or ');
  switch (schema.type) {
    case 'string':
      return textWords(schema);
    case 'integer':
    case 'number':
      return numberWords(schema);
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'array':
      return `list of ${typeWords(schema.items ?? {})}`;
    case 'object':
      return objectWords(schema);
    default:
      // Only durations have no schema: text with a unit, or seconds.
      return 'duration: `30s`, `15m`, `2h`, `1d` or seconds';
  }
}

const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['^[0-9a-f]{32}$', 'id'],
  ['^[a-z0-9][a-z0-9._-]{0,63}$', 'name'],
  ['^[0-9a-f]{16}$', 'token id'],
]);

function textWords({ pattern, format, minLength = 0, maxLength }: JsonSchema): string {
  if (format === 'date-time') return 'time';
  if (pattern !== undefined && format !== 'date-time') return PATTERNS.get(pattern) ?? `text like \`${pattern}\``;
  return maxLength === undefined ? 'text' : `text, ${minLength}–${maxLength}`;
}

function numberWords({ minimum, maximum }: JsonSchema): string {
  const most = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? '' : maximum.toLocaleString('en-US');
  if (most === '') return minimum === undefined || minimum <= 0 ? 'number' : `number from ${minimum} on`;
  return `number, ${minimum ?? 0}–${most}`;
}

function objectWords({ properties, required = [], additionalProperties }: JsonSchema): string {
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const members = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
    return `{${members.join(', ')}}`;
  }
  return typeof additionalProperties === 'object' ? `object of ${typeWords(additionalProperties)}` : 'object';
}
