/** Checks a model's arguments against the schema it was shown; problems are worded for the model. Pure. */

import { describeValue, isPlainObject, type Json, type JsonObject } from '../../../core/lib/json.ts';

/** Supports the parts of JSON Schema that tools use. */
export function wrongArguments(schema: JsonObject, args: Json): readonly string[] {
  return wrongIn(schema, args, '');
}

function wrongIn(schema: JsonObject, value: Json, at: string): readonly string[] {
  const name = at === '' ? 'arguments' : at;
  const { type, enum: among } = schema;
  if (Array.isArray(among) && !among.includes(value)) {
    return [`${name}: expected one of ${among.map((one) => JSON.stringify(one)).join(', ')}, got ${shown(value)}`];
  }
  switch (type) {
    case 'object':
      return isPlainObject(value)
        ? wrongMembers(schema, value as JsonObject, at)
        : [`${name}: expected an object, got ${shown(value)}`];
    case 'array':
      if (!Array.isArray(value)) return [`${name}: expected a list, got ${shown(value)}`];
      return value.flatMap((one: Json, i) => wrongIn((schema.items ?? {}) as JsonObject, one, `${name}.${i}`));
    case 'string':
      return wrongText(schema, value, name);
    case 'number':
    case 'integer':
      return wrongNumber(schema, value, name);
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${name}: expected true or false, got ${shown(value)}`];
    default:
      return [];
  }
}

function wrongMembers(schema: JsonObject, value: JsonObject, at: string): readonly string[] {
  const properties = (schema.properties ?? {}) as { readonly [name: string]: JsonObject };
  const within = (name: string): string => (at === '' ? name : `${at}.${name}`);
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${within(name)}: expected ${kindOf(properties[name])}, got nothing`);
  const wrong = Object.entries(value).flatMap(([name, one]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) return wrongIn(known, one, within(name));
    const there = Object.keys(properties);
    const others = there.length === 0 ? 'it takes none' : `valid: ${there.join(', ')}`;
    return schema.additionalProperties === false ? [`${within(name)}: unknown argument; ${others}`] : [];
  });
  return [...missing, ...wrong];
}

function wrongText({ minLength = 0, maxLength, pattern }: Partial<JsonObject>, value: Json, name: string) {
  const most = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  if (typeof value !== 'string') return [`${name}: expected text, got ${shown(value)}`];
  if (value.length < Number(minLength)) return [`${name}: expected text, got none`];
  if (value.length > most) return [`${name}: expected at most ${most} characters, got ${value.length}`];
  const fits = typeof pattern !== 'string' || new RegExp(pattern).test(value);
  return fits ? [] : [`${name}: expected text like ${pattern}, got ${shown(value)}`];
}

function wrongNumber({ type, minimum, maximum, exclusiveMinimum }: Partial<JsonObject>, value: Json, name: string) {
  const isOne = typeof value === 'number' && (type === 'number' || Number.isSafeInteger(value));
  if (!isOne) return [`${name}: expected a ${type === 'integer' ? 'whole ' : ''}number, got ${shown(value)}`];
  if (typeof minimum === 'number' && value < minimum) return [`${name}: expected at least ${minimum}, got ${value}`];
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return [`${name}: expected more than ${exclusiveMinimum}, got ${value}`];
  return typeof maximum === 'number' && value > maximum ? [`${name}: expected at most ${maximum}, got ${value}`] : [];
}

function kindOf(schema: JsonObject | undefined): string {
  if (Array.isArray(schema?.enum)) return `one of ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}`;
  const kinds: Readonly<Record<string, string>> = { string: 'text', object: 'an object', array: 'a list' };
  return kinds[String(schema?.type)] ?? `a ${String(schema?.type ?? 'value')}`;
}

function shown(value: Json): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : describeValue(value);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
