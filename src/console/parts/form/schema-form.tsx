/** A form made from a JSON Schema. It holds nothing itself: what is typed is handed up, and comes back as `draft`. */

import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import '../parts.css';
import './form.css';
import type { Draft } from './draft.ts';
import type { Field } from './field.ts';
import type { FieldError } from './field-errors.ts';
import { FieldPart } from './field-part.tsx';
import type { Custom } from './field-props.ts';

export interface SchemaFormProps {
  /** Made once by `fieldOf(schema, title, true)`. */
  readonly field: Field;
  /** Where it stands among what is sent: `knobs`. Errors are told by it. */
  readonly path: string;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** Of the form itself (`readForm`) and of the hub. */
  readonly errors: readonly FieldError[];
  /** By path. */
  readonly custom?: Readonly<Record<string, Custom>>;
}

const NONE: Readonly<Record<string, Custom>> = {};

export function SchemaForm({ field, path, draft, onDraft, errors, custom = NONE }: SchemaFormProps): VNode {
  const form = useId();
  return (
    <FieldPart field={field} path={path} draft={draft} onDraft={onDraft} form={{ id: form, errors, custom }} isBare />
  );
}
