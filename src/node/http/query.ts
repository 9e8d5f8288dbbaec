/** What the query of a GET says, as parameters of its operation: text becomes what the operation's schema asks for. */

import { badValue } from '../../core/lib/json.ts';
import { OPERATIONS, type OperationName } from '../../core/operations.ts';

interface Shape {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Shape[];
}

const NUMBER = /^-?\d+(\.\d+)?$/;

const shapes = new Map<OperationName, Readonly<Record<string, Shape>>>();

/** `as` is no parameter: it says who asks. */
export function queryParams(op: OperationName, query: URLSearchParams): Record<string, unknown> {
  const known = shapesOf(op);
  const params: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    if (name === 'as') continue;
    const shape = Object.hasOwn(known, name) ? known[name] : undefined;
    if (shape === undefined) throw badValue('query', `one of ${['as', ...Object.keys(known)].join(', ')}`, name);
    params[name] = fitting(shape, query.getAll(name), `query.${name}`);
  }
  return params;
}

function shapesOf(op: OperationName): Readonly<Record<string, Shape>> {
  const known = shapes.get(op);
  if (known !== undefined) return known;
  // JSON Schema of an object: its members are schemas.
  const { properties = {} } = OPERATIONS[op].params.jsonSchema() as { properties?: Record<string, Shape> };
  shapes.set(op, properties);
  return properties;
}

/** What does not fit stays text, and the operation says what it expected. */
function fitting(shape: Shape, texts: readonly string[], where: string): unknown {
  const [text = ''] = texts;
  const type = typeOf(shape);
  if (type === 'array') return texts.flatMap((one) => one.split(','));
  if (texts.length > 1) throw badValue(where, 'one value', texts.join(' and '));
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
    throw badValue(where, 'an object as JSON', text);
  }
}
