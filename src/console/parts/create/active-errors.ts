/** What the hub said against a session, as long as what it is about is as it was then. Pure. */

import type { Draft } from '../form/draft.ts';
import type { FieldError } from '../form/field-errors.ts';
import { asFormError, type CreateDraft } from './create-draft.ts';

export interface RejectedDraft {
  /** What was sent. */
  readonly draft: CreateDraft;
  readonly errors: readonly FieldError[];
}

export function activeErrors({ draft, errors }: RejectedDraft, now: CreateDraft): readonly FieldError[] {
  return errors.filter((error) => {
    const { field } = asFormError(error);
    return JSON.stringify(aboutOf(draft, field)) === JSON.stringify(aboutOf(now, field));
  });
}

/** What a field is about; of nothing in particular = nothing that could change. A graph is about who takes part, too. */
function aboutOf({ type, participants, knobs, options }: CreateDraft, field: string): unknown {
  const [part = '', name] = field.split('.');
  switch (part) {
    case '':
      return null;
    case 'type':
      return type;
    case 'participants':
      return participants;
    case 'knobs':
      return name === undefined ? [type, knobs] : [type, memberOf(knobs, name), name === 'graph' ? participants : null];
    default:
      return memberOf(options, part);
  }
}

function memberOf(draft: Draft, name: string): Draft | null {
  if (typeof draft === 'string' || Array.isArray(draft)) return null;
  const members = draft as { readonly [name: string]: Draft };
  return Object.hasOwn(members, name) ? (members[name] ?? null) : null;
}
