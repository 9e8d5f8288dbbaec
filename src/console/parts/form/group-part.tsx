/** Fields that belong together. */

import type { VNode } from 'preact';
import { memberIn, OTHERS, withMember } from './draft.ts';
import { ErrorsPart } from './errors-part.tsx';
import type { GroupField } from './field.ts';
import { errorsElsewhere, errorsOf } from './field-errors.ts';
import { elementId, FieldPart, type PartProps } from './field-part.tsx';

export function GroupPart({ field, path, draft, onDraft, form, isBare = false }: PartProps<GroupField>): VNode {
  const members = [...field.members, ...(field.others === null ? [] : [[OTHERS, field.others] as const])];
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);
  const paths = members.map(([name]) => pathOf(name));
  // What the hub says of a member that has no field is said here, where it would be.
  const stray = errorsElsewhere(form.errors, paths).filter((one) => path !== '' && one.field.startsWith(`${path}.`));
  const messages = [
    ...errorsOf(form.errors, path),
    ...stray.map((one) => `${one.field.slice(path.length + 1)}: ${one.message}`),
  ];
  const id = elementId(form, path);
  return (
    <fieldset class={`form-group${isBare ? ' form-group-bare' : ''}`} aria-describedby={`${id}-errors`}>
      <legend class={isBare ? 'part-unseen' : ''}>
        {field.title}
        {field.isRequired && !isBare && <span class="form-needed"> (needed)</span>}
      </legend>
      {field.help !== '' && <p class="form-help">{field.help}</p>}
      {members.map(([name, one]) => (
        <FieldPart
          key={name}
          field={one}
          path={pathOf(name)}
          draft={memberIn(draft, name)}
          onDraft={(next) => onDraft(withMember(draft, name, next))}
          form={form}
        />
      ))}
      {members.length === 0 && <p class="form-help">There is nothing to set.</p>}
      <ErrorsPart id={`${id}-errors`} messages={messages} />
    </fieldset>
  );
}
