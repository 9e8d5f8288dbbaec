/** Defines the properties of form components. */

import type { VNode } from 'preact';
import type { Draft } from './draft.ts';
import type { Field } from './field.ts';
import type { FieldError } from './field-errors.ts';

/** Replaces the standard component of a field; it must show the label and the errors. */
export type Custom = (props: CustomProps) => VNode;

export interface CustomProps {
  readonly path: string;
  readonly id: string;
  readonly title: string;
  readonly draft: Draft | undefined;
  readonly onDraft: (draft: Draft) => void;
  readonly errors: readonly FieldError[];
}

/** Properties that all fields of a form share. */
interface FormParts {
  /** Prefix that makes element ids unique on the page. */
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
  /** True to omit the frame and the title. */
  readonly isBare?: boolean;
}

/** Encodes the path in an element id, which may not contain spaces. */
export function elementId({ id }: FormParts, path: string): string {
  return `${id}-${encodeURIComponent(path)}`;
}
