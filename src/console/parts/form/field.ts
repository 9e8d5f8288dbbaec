/** Converts a JSON Schema to form fields. Schema parts that no field can show faithfully become JSON text fields. */

import type { Json } from '../../../core/lib/json.ts';
import { isRecord, type UnknownRecord } from '../../lib/unknown-record.ts';
import { fittingText } from '../../text/fitting-text.ts';
import { shortText } from '../../text/visible-text.ts';

interface About {
  readonly title: string;
  readonly help: string;
  readonly isRequired: boolean;
  /** The default of the schema; undefined if it has none. */
  readonly fallback: Json | undefined;
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
  readonly multipleOf?: number;
}

interface TextField extends About {
  readonly kind: 'text';
  readonly minLength: number;
  readonly maxLength: number;
}
export interface NumberField extends About {
  readonly kind: 'number';
  readonly isWhole: boolean;
  readonly bounds: Bounds;
}
export type FlagField = About & { readonly kind: 'flag' };
export type ChoiceField = About & { readonly kind: 'choice'; readonly options: readonly Json[] };
export interface ListField extends About {
  readonly kind: 'list';
  readonly item: Field;
  readonly minItems: number;
  readonly maxItems: number;
}
export interface GroupField extends About {
  readonly kind: 'group';
  readonly members: readonly (readonly [name: string, field: Field])[];
  /** The JSON field for members outside the schema; null if the schema forbids them. */
  readonly others: JsonField | null;
}
export type JsonField = About & { readonly kind: 'json'; readonly shape: 'object' | 'list' | 'any' };

export type Field = TextField | NumberField | FlagField | ChoiceField | ListField | GroupField | JsonField;

/** Schema keywords that form fields support. Any other constraint makes the field JSON text. */
const UNDERSTOOD: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: [],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties'],
};
const ABOUT = ['type', 'title', 'description', 'default', 'examples', '$schema', '$id', '$comment', 'deprecated'];
/** Schema levels below this depth become JSON text. */
const MAX_NESTING = 6;

export function fieldOf(schema: unknown, title = '', isRequired = false, depth = 0): Field {
  const about = aboutOf(schema, title, isRequired);
  if (!isRecord(schema)) return { ...about, kind: 'json', shape: 'any' };
  const options = optionsIn(schema);
  if (options !== null) return { ...about, kind: 'choice', options };
  const { type } = schema;
  const known = typeof type === 'string' && Object.hasOwn(UNDERSTOOD, type) ? UNDERSTOOD[type] : undefined;
  const isPlain = Object.keys(schema).every((word) => ABOUT.includes(word) || known?.includes(word) === true);
  if (!isPlain || depth > MAX_NESTING) return { ...about, kind: 'json', shape: shapeOf(type) };
  switch (type) {
    case 'string': {
      const [minLength, maxLength] = [wholeNumber(schema.minLength, 0), wholeNumber(schema.maxLength, NO_END)];
      return { ...about, kind: 'text', minLength, maxLength };
    }
    case 'number':
    case 'integer':
      return { ...about, kind: 'number', isWhole: type === 'integer', bounds: boundsIn(schema) };
    case 'boolean':
      return { ...about, kind: 'flag' };
    case 'array':
      return listOf(schema, about, depth);
    case 'object':
      return groupOf(schema, about, depth);
    default:
      return { ...about, kind: 'json', shape: 'any' };
  }
}

const MAX_HELP = 400;
const NO_END = Number.MAX_SAFE_INTEGER;

function aboutOf(schema: unknown, title: string, isRequired: boolean): About {
  const { title: given, description, default: fallback } = isRecord(schema) ? schema : ({} as UnknownRecord);
  return {
    title: shortText(typeof given === 'string' && given !== '' ? given : title),
    help: typeof description === 'string' ? fittingText(description, MAX_HELP).text : '',
    isRequired,
    // The cast is safe: everything in a schema is JSON.
    fallback: fallback as Json | undefined,
  };
}

function optionsIn({ enum: listed, const: only }: UnknownRecord): readonly Json[] | null {
  if (Array.isArray(listed) && listed.length > 0) return listed;
  return only === undefined ? null : [only as Json];
}

function boundsIn(schema: UnknownRecord): Bounds {
  const { minimum: min, maximum: max, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema;
  const bounds = Object.entries({ min, max, above, below, multipleOf });
  return Object.fromEntries(bounds.filter(([, bound]) => typeof bound === 'number'));
}

function listOf(schema: UnknownRecord, about: About, depth: number): Field {
  if (!isRecord(schema.items)) return { ...about, kind: 'json', shape: 'list' };
  return {
    ...about,
    kind: 'list',
    item: fieldOf(schema.items, '', true, depth + 1),
    minItems: wholeNumber(schema.minItems, 0),
    maxItems: wholeNumber(schema.maxItems, NO_END),
  };
}

function groupOf(schema: UnknownRecord, about: About, depth: number): Field {
  const { properties, required, additionalProperties: others } = schema;
  const named = isRecord(properties) ? Object.entries(properties) : [];
  const requiredNames = Array.isArray(required) ? required : [];
  // Drafts reserve the empty name for OTHERS.
  const isNameless = named.some(([name]) => name === '');
  if (isNameless || (named.length === 0 && others !== false)) return { ...about, kind: 'json', shape: 'object' };
  return {
    ...about,
    kind: 'group',
    members: named.map(([name, one]) => [name, fieldOf(one, name, requiredNames.includes(name), depth + 1)] as const),
    others: others === false ? null : OTHER_MEMBERS,
  };
}

const OTHER_MEMBERS: JsonField = {
  kind: 'json',
  shape: 'object',
  title: 'More',
  help: 'other members, as a JSON object',
  isRequired: false,
  fallback: undefined,
};

function shapeOf(type: unknown): JsonField['shape'] {
  if (type === 'object') return 'object';
  return type === 'array' ? 'list' : 'any';
}

function wholeNumber(value: unknown, otherwise: number): number {
  return Number.isSafeInteger(value) ? Number(value) : otherwise;
}
