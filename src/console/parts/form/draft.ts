/** Defines form drafts: the text typed into each field so far. An empty text means that the field is not set. */

import type { Json } from '../../../core/lib/json.ts';
import type { Field, GroupField } from './field.ts';

export type Draft = string | readonly Draft[] | { readonly [name: string]: Draft };

/** A group keeps the JSON of members outside its schema under this name. No schema member has an empty name. */
export const OTHERS = '';

export function emptyDraft(field: Field): Draft {
  if (field.kind === 'list') return [];
  return field.kind === 'group' ? {} : '';
}

/** Converts a value to the draft that shows it. */
export function draftOf(field: Field, value: Json | undefined): Draft {
  if (value === undefined) return emptyDraft(field);
  switch (field.kind) {
    case 'list':
      return Array.isArray(value) ? value.map((one: Json) => draftOf(field.item, one)) : [];
    case 'group':
      return groupDraft(field, value);
    case 'choice':
      return choiceText(field.options, value);
    case 'json':
      return JSON.stringify(value, null, 2);
    case 'text':
      return typeof value === 'string' ? value : '';
    case 'number':
    case 'flag':
      return String(value);
  }
}

/** Options are identified by index, because two of them may look the same. */
function choiceText(options: readonly Json[], value: Json): string {
  const at = options.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
  return at === -1 ? '' : String(at);
}

function groupDraft(field: GroupField, value: Json): Draft {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const names = new Set(field.members.map(([name]) => name));
  const draft = new Map<string, Draft>();
  for (const [name, one] of field.members) {
    if (Object.hasOwn(value, name)) draft.set(name, draftOf(one, (value as Readonly<Record<string, Json>>)[name]));
  }
  const others = Object.entries(value).filter(([name]) => !names.has(name));
  if (others.length > 0 && field.others !== null) {
    draft.set(OTHERS, JSON.stringify(Object.fromEntries(others), null, 2));
  }
  return Object.fromEntries(draft);
}

export function textIn(draft: Draft | undefined): string {
  return typeof draft === 'string' ? draft : '';
}

export function listIn(draft: Draft | undefined): readonly Draft[] {
  return Array.isArray(draft) ? draft : [];
}

export function memberIn(draft: Draft | undefined, name: string): Draft | undefined {
  if (typeof draft !== 'object' || Array.isArray(draft)) return undefined;
  return Object.hasOwn(draft, name) ? (draft as Readonly<Record<string, Draft>>)[name] : undefined;
}

export function withMember(draft: Draft | undefined, name: string, value: Draft): Draft {
  const members = typeof draft === 'object' && !Array.isArray(draft) ? Object.entries(draft) : [];
  return Object.fromEntries([...members.filter(([key]) => key !== name), [name, value]]);
}
