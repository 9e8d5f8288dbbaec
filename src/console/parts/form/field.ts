/** A JSON Schema as fields of a form. What a form cannot show faithfully is a field of JSON text. */

import type { Json } from '../../../core/lib/json.ts';
import { fittingText } from '../../text/fitting-text.ts';
import { shortText } from '../../text/visible-text.ts';

interface About {
  readonly title: string;
  readonly help: string;
  readonly isRequired: boolean;
  /** What the hub takes if nothing is given; undefined = nothing. */
  readonly fallback: Json | undefined;
}

export interface Bounds {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
  readonly multipleOf?: number;
}

export interface TextField extends About {
  readonly kind: 'text';
  readonly minLength: number;
  readonly maxLength: number;
}
export interface NumberField extends About {
  readonly kind: 'number';
  readonly isWhole: boolean;
  readonly bounds: Bounds;
}
export interface FlagField extends About {
  readonly kind: 'flag';
}
export interface ChoiceField extends About {
  readonly kind: 'choice';
  readonly options: readonly Json[];
}
export interface ListField extends About {
  readonly kind: 'list';
  readonly item: Field;
  readonly minItems: number;
  readonly maxItems: number;
}
export interface GroupField extends About {
  readonly kind: 'group';
  readonly members: readonly (readonly [name: string, field: Field])[];
  /** Of members that the schema does not name: none may be there, or they are given as JSON. */
  readonly others: JsonField | null;
}
export interface JsonField extends About {
  readonly kind: 'json';
  readonly shape: 'object' | 'list' | 'any';
}

export type Field = TextField | NumberField | FlagField | ChoiceField | ListField | GroupField | JsonField;

type Schema = Readonly<Record<string, unknown>>;

/** Words of a schema that a field understands. Any other word that says what is allowed makes it a field of JSON. */
const UNDERSTOOD: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: [],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties'],
};
const ABOUT = ['type', 'title', 'description', 'default', 'examples', '$schema', '$id', '$comment', 'deprecated'];
/** A schema that nests deeper is shown as JSON from there on. */
const MAX_NESTING = 6;

export function fieldOf(schema: unknown, title = '', isRequired = false, depth = 0): Field {
  const about = aboutOf(schema, title, isRequired);
  if (!isSchema(schema)) return { ...about, kind: 'json', shape: 'any' };
  const options = optionsIn(schema);
  if (options !== null) return { ...about, kind: 'choice', options };
  const { type } = schema;
  const known = typeof type === 'string' && Object.hasOwn(UNDERSTOOD, type) ? UNDERSTOOD[type] : undefined;
  const isPlain = Object.keys(schema).every((word) => ABOUT.includes(word) || known?.includes(word) === true);
  if (!isPlain || depth > MAX_NESTING) return { ...about, kind: 'json', shape: shapeOf(type) };
  switch (type) {
    case 'string':
      return {
        ...about,
        kind: 'text',
        minLength: whole(schema.minLength, 0),
        maxLength: whole(schema.maxLength, NO_END),
      };
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
  const { title: given, description, default: fallback } = isSchema(schema) ? schema : ({} as Schema);
  return {
    title: shortText(typeof given === 'string' && given !== '' ? given : title),
    help: typeof description === 'string' ? fittingText(description, MAX_HELP).text : '',
    isRequired,
    // A schema is JSON, and so is its default.
    fallback: fallback as Json | undefined,
  };
}

function optionsIn({ enum: listed, const: only }: Schema): readonly Json[] | null {
  if (Array.isArray(listed) && listed.length > 0) return listed;
  return only === undefined ? null : [only as Json];
}

function boundsIn(schema: Schema): Bounds {
  const words = {
    min: 'minimum',
    max: 'maximum',
    above: 'exclusiveMinimum',
    below: 'exclusiveMaximum',
    multipleOf: 'multipleOf',
  };
  return Object.fromEntries(
    Object.entries(words).flatMap(([name, word]) => (typeof schema[word] === 'number' ? [[name, schema[word]]] : [])),
  );
}

/** Without `items` anything may be in it. */
function listOf(schema: Schema, about: About, depth: number): Field {
  if (!isSchema(schema.items)) return { ...about, kind: 'json', shape: 'list' };
  return {
    ...about,
    kind: 'list',
    item: fieldOf(schema.items, '', true, depth + 1),
    minItems: whole(schema.minItems, 0),
    maxItems: whole(schema.maxItems, NO_END),
  };
}

function groupOf(schema: Schema, about: About, depth: number): Field {
  const { properties, required, additionalProperties: others } = schema;
  const named = isSchema(properties) ? Object.entries(properties) : [];
  const asked = Array.isArray(required) ? required : [];
  // Under no name a form keeps what has no field of its own.
  const isNameless = named.some(([name]) => name === '');
  if (isNameless || (named.length === 0 && others !== false)) return { ...about, kind: 'json', shape: 'object' };
  return {
    ...about,
    kind: 'group',
    members: named.map(([name, one]) => [name, fieldOf(one, name, asked.includes(name), depth + 1)] as const),
    others:
      others === false
        ? null
        : {
            kind: 'json',
            shape: 'object',
            title: 'More',
            help: 'further members, as a JSON object',
            isRequired: false,
            fallback: undefined,
          },
  };
}

function shapeOf(type: unknown): JsonField['shape'] {
  if (type === 'object') return 'object';
  return type === 'array' ? 'list' : 'any';
}

function whole(value: unknown, otherwise: number): number {
  return Number.isSafeInteger(value) ? Number(value) : otherwise;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
