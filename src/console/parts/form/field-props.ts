/** What the parts of a form share. */

import type { VNode } from 'preact';
import type { Draft } from './draft.ts';
import type { Field } from './field.ts';
import type { FieldError } from './field-errors.ts';

/** Draws one field in its own way; it has to show its label and its errors. */
export type Custom = (props: CustomProps) => VNode;

export interface CustomProps {
  readonly path: string;
  readonly id: string;
  readonly title: string;
  readonly draft: Draft | undefined;
  readonly onDraft: (draft: Draft) => void;
  readonly errors: readonly FieldError[];
}

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

/** A path may hold anything; an id may not hold blanks. */
export function elementId({ id }: FormParts, path: string): string {
  return `${id}-${encodeURIComponent(path)}`;
}
