/** A list of entries, each with a field of its own. */

import type { VNode } from 'preact';
import { emptyDraft, listIn } from './draft.ts';
import { ErrorsPart } from './errors-part.tsx';
import type { Field, ListField } from './field.ts';
import { errorsOf } from './field-errors.ts';
import { elementId, FieldPart, type PartProps } from './field-part.tsx';

export function ListPart({ field, path, draft, onDraft, form }: PartProps<ListField>): VNode {
  const items = listIn(draft);
  const id = elementId(form, path);
  const named = field.title.toLowerCase();
  return (
    <fieldset class="form-list" aria-describedby={`${id}-errors`}>
      <legend>{field.title}</legend>
      {field.help !== '' && <p class="form-help">{field.help}</p>}
      {items.map((item, i) => (
        <div key={i} class="form-row">
          <div>
            <FieldPart
              field={titled(field.item, `${field.title} ${i + 1}`)}
              path={`${path}.${i}`}
              draft={item}
              onDraft={(next) => onDraft(items.with(i, next))}
              form={form}
            />
          </div>
          <button type="button" class="form-button" onClick={() => onDraft(items.toSpliced(i, 1))}>
            Remove <span class="part-unseen">{`${named} ${i + 1}`}</span>
          </button>
        </div>
      ))}
      <button
        type="button"
        class="form-button"
        disabled={items.length >= field.maxItems}
        onClick={() => onDraft([...items, emptyDraft(field.item)])}
      >
        Add <span class="part-unseen">{`an entry to ${named}`}</span>
      </button>
      <ErrorsPart id={`${id}-errors`} messages={errorsOf(form.errors, path)} />
    </fieldset>
  );
}

function titled(field: Field, title: string): Field {
  return field.title === '' ? { ...field, title } : field;
}
