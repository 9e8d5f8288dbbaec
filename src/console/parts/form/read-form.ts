/** Reads the value and the errors of a form. The hub validates again; the form only reports errors earlier. */

import type { Json } from '../../../core/lib/json.ts';
import { lineOf, readJson } from '../../lib/read-json.ts';
import { type Draft, listIn, memberIn, OTHERS, textIn } from './draft.ts';
import type { Field, GroupField, JsonField, ListField, NumberField } from './field.ts';
import type { FieldError } from './field-errors.ts';

interface FormRead {
  /** undefined if the field is not set, or invalid. */
  readonly value: Json | undefined;
  readonly errors: readonly FieldError[];
}

/** `at`: the path of the field, used in errors. */
export function readForm(field: Field, draft: Draft | undefined, at: string): FormRead {
  switch (field.kind) {
    case 'group':
      return readGroup(field, draft, at);
    case 'list':
      return readList(field, draft, at);
    default:
      return readLeaf(field, textIn(draft), at);
  }
}

function readLeaf(field: Exclude<Field, GroupField | ListField>, text: string, at: string): FormRead {
  // Spaces alone are a valid text, but not a number, a choice or JSON.
  if (field.kind === 'text' ? text === '' : text.trim() === '') return leftOut(field, at);
  switch (field.kind) {
    case 'text':
      return checked(text, at, lengthError(text.length, field.minLength, field.maxLength, 'characters'));
    case 'number':
      return readNumber(field, text.trim(), at);
    case 'flag':
      return checked(text === 'true', at, text === 'true' || text === 'false' ? null : 'expected yes or no');
    case 'choice': {
      const chosen = field.options[Number(text)];
      return chosen === undefined ? failed(at, 'expected one of the choices') : { value: chosen, errors: [] };
    }
    case 'json':
      return readJsonField(field, text, at);
  }
}

function leftOut(field: Field, at: string): FormRead {
  const isMissing = field.isRequired && field.fallback === undefined;
  return isMissing ? failed(at, 'a value is required') : { value: undefined, errors: [] };
}

const NUMERAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function readNumber({ isWhole, bounds }: NumberField, text: string, at: string): FormRead {
  const value = NUMERAL.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return failed(at, `expected ${isWhole ? 'a whole number' : 'a number'}`);
  if (isWhole && !Number.isSafeInteger(value)) return failed(at, 'expected a whole number');
  const { min = value, max = value, above, below, multipleOf } = bounds;
  if (value < min) return failed(at, `expected at least ${min}`);
  if (value > max) return failed(at, `expected at most ${max}`);
  if (above !== undefined && value <= above) return failed(at, `expected more than ${above}`);
  if (below !== undefined && value >= below) return failed(at, `expected less than ${below}`);
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    return failed(at, `expected a multiple of ${multipleOf}`);
  return { value: value === 0 ? 0 : value, errors: [] };
}

/** True if `value` is a multiple of `of`, allowing for the rounding of decimals. */
function isMultiple(value: number, of: number): boolean {
  const ratio = value / of;
  return Math.abs(ratio - Math.round(ratio)) < 1e-9;
}

function readJsonField({ shape }: JsonField, text: string, at: string): FormRead {
  const read = readJson(text);
  if (!read.ok) {
    const { line, column } = lineOf(text, read.at);
    return failed(at, `line ${line}, column ${column}: ${read.message}`);
  }
  const { value } = read;
  const isList = Array.isArray(value);
  const isObject = typeof value === 'object' && value !== null && !isList;
  if (shape === 'object' && !isObject) return failed(at, 'expected a JSON object: { \u2026 }');
  if (shape === 'list' && !isList) return failed(at, 'expected a JSON list: [ \u2026 ]');
  return { value, errors: [] };
}

/** Omits an empty list unless it is required and has no default. */
function readList(field: ListField, draft: Draft | undefined, at: string): FormRead {
  const items = listIn(draft);
  if (items.length === 0 && (!field.isRequired || field.fallback !== undefined))
    return { value: undefined, errors: [] };
  const read = items.map((one, i) => readForm(field.item, one, `${at}.${i}`));
  const errors = read.flatMap((one) => one.errors);
  const count = lengthError(items.length, field.minItems, field.maxItems, 'entries');
  const value = read.flatMap((one) => (one.value === undefined ? [] : [one.value]));
  return { value, errors: [...(count === null ? [] : [{ field: at, message: count }]), ...errors] };
}

/** Omits an empty group unless it is required; then the errors of its fields say what is missing. */
function readGroup(field: GroupField, draft: Draft | undefined, at: string): FormRead {
  const read = field.members.map(
    ([name, one]) => [name, readForm(one, memberIn(draft, name), `${at}.${name}`)] as const,
  );
  const others = field.others === null ? null : readForm(field.others, memberIn(draft, OTHERS), `${at}.`);
  const given = read.flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value] as const]));
  const more = Object.entries((others?.value ?? {}) as Readonly<Record<string, Json>>);
  const isTouched = given.length > 0 || more.length > 0 || hasWords(draft);
  if (!field.isRequired && !isTouched) return { value: undefined, errors: [] };
  const duplicate = more.find(([name]) => field.members.some(([known]) => known === name));
  const errors = [
    ...read.flatMap(([, one]) => one.errors),
    ...(others?.errors ?? []),
    ...(duplicate === undefined ? [] : [{ field: `${at}.`, message: `"${duplicate[0]}" has its own field above` }]),
  ];
  return { value: Object.fromEntries([...more, ...given]), errors };
}

function hasWords(draft: Draft | undefined): boolean {
  if (draft === undefined || typeof draft === 'string') return textIn(draft).trim() !== '';
  return Object.values(draft).some(hasWords);
}

function lengthError(length: number, min: number, max: number, what: string): string | null {
  if (length < min) return `expected at least ${min} ${what}, got ${length}`;
  return length > max ? `expected at most ${max} ${what}, got ${length}` : null;
}

function checked(value: Json, at: string, message: string | null): FormRead {
  return message === null ? { value, errors: [] } : failed(at, message);
}

function failed(field: string, message: string): FormRead {
  return { value: undefined, errors: [{ field, message }] };
}
