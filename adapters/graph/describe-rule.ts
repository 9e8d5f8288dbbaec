/** Conditions and targets in words that a reader of the graph knows. */

import type { Json, RuleRef } from 'parley-hub/core';
import { fieldError, isObject } from '../parts/field-error.ts';
import { parseRef } from './transition-graph.ts';

/** What to write for an id of a participant. */
export type NameOf = (id: string) => string;

export function describeRule(ref: RuleRef, write: NameOf, field: string): string {
  const { name, args } = ref;
  switch (name) {
    case 'all_of':
    case 'any_of': {
      const inner = innerOf(ref, field).map((one) => describeRule(one, write, field));
      return `(${inner.join(name === 'all_of' ? ' and ' : ' or ')})`;
    }
    case 'not':
      return `not (${innerOf(ref, field).map((one) => describeRule(one, write, field))})`;
    case 'from_speaker':
      return `${write(String(args.agent_id))} speaks`;
    case 'context_equals':
      return `${args.key} == ${JSON.stringify(args.value)}`;
    case 'context_compare':
      return `${args.key} ${args.op} ${JSON.stringify(args.value)}`;
    case 'turn_count':
      return `turn ${args.op} ${args.value}`;
    case 'tool_called':
      return `calls ${args.tool_name}`;
    case 'text_contains':
      return `says ${listOf(args.any)
        .map((part) => JSON.stringify(part))
        .join(' or ')}`;
    default:
      return Object.keys(args).length === 0 ? name : `${name} ${JSON.stringify(named(args, write))}`;
  }
}

/** The conditions in an all_of, any_of or not; throws a ProtocolError if there are none. */
export function innerOf({ name, args }: RuleRef, field: string): readonly RuleRef[] {
  if (name === 'not') return [parseRef(args.condition, `${field}.args.condition`)];
  if (!Array.isArray(args.conditions))
    throw fieldError(`${field}.args.conditions`, 'a list of conditions', args.conditions);
  return args.conditions.map((one: Json, i) => parseRef(one, `${field}.args.conditions.${i}`));
}

/** The same value with names for ids, wherever they are in it. */
function named(value: Json, write: NameOf): Json {
  if (typeof value === 'string') return write(value);
  if (Array.isArray(value)) return value.map((one: Json) => named(one, write));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one, write)]));
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
