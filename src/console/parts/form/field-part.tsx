/** One field of a form, of whatever kind: groups and lists hold others. */

import type { VNode } from 'preact';
import type { Draft } from './draft.ts';
import { textIn } from './draft.ts';
import type { Field } from './field.ts';
import type { FieldError } from './field-errors.ts';
import { GroupPart } from './group-part.tsx';
import { LeafPart } from './leaf-part.tsx';
import { ListPart } from './list-part.tsx';
import type { Custom } from './schema-form.tsx';

/** What all fields of a form share. */
export interface FormParts {
  /** Makes ids of its elements unique on the page. */
  readonly id: string;
  readonly errors: readonly FieldError[];
  readonly custom: Readonly<Record<string, Custom>>;
}

export interface PartProps<Kind extends Field = Field> {
  readonly field: Kind;
  readonly path: string;
  readonly draft: Draft | undefined;
  readonly onDraft: (draft: Draft) => void;
  readonly form: FormParts;
  /** Without a frame and a title of its own. */
  readonly isBare?: boolean;
}

export function FieldPart({ field, isBare = false, ...props }: PartProps): VNode {
  const { form, path, draft, onDraft } = props;
  const own = Object.hasOwn(form.custom, path) ? form.custom[path] : undefined;
  if (own !== undefined) {
    const { errors } = form;
    return own({ path, id: elementId(form, path), title: field.title, draft, onDraft, errors });
  }
  if (field.kind === 'group') return <GroupPart field={field} isBare={isBare} {...props} />;
  if (field.kind === 'list') return <ListPart field={field} {...props} />;
  return <LeafPart field={field} {...props} draft={textIn(draft)} />;
}

/** A path may hold anything; an id may not hold blanks. */
export function elementId({ id }: FormParts, path: string): string {
  return `${id}-${encodeURIComponent(path)}`;
}
