/** Renders a form for a JSON Schema. It holds no state: the parent keeps the typed text in `draft`. */

import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import '../parts.css';
import './form.css';
import { type Draft, emptyDraft, listIn, memberIn, OTHERS, textIn, withMember } from './draft.ts';
import { ErrorsPart } from './errors-part.tsx';
import type { Field, GroupField, ListField } from './field.ts';
import { errorsElsewhere, errorsOf, type FieldError } from './field-errors.ts';
import { type Custom, elementId, type PartProps } from './field-props.ts';
import { LeafPart } from './leaf-part.tsx';

interface SchemaFormProps {
  /** The field that `fieldOf(schema, title, true)` makes. */
  readonly field: Field;
  /** The path of the value in the request, such as `knobs`; error paths start with it. */
  readonly path: string;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** The errors found by the form (`readForm`) and by the hub. */
  readonly errors: readonly FieldError[];
  /** Components that replace the standard ones, by path of the field. */
  readonly custom?: Readonly<Record<string, Custom>>;
}

const NONE: Readonly<Record<string, Custom>> = {};

export function SchemaForm({ field, path, draft, onDraft, errors, custom = NONE }: SchemaFormProps): VNode {
  const form = { id: useId(), errors, custom };
  return <FieldPart field={field} path={path} draft={draft} onDraft={onDraft} form={form} isBare />;
}

function FieldPart({ field, isBare = false, ...props }: PartProps): VNode {
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

function GroupPart({ field, path, draft, onDraft, form, isBare = false }: PartProps<GroupField>): VNode {
  const members = [...field.members, ...(field.others === null ? [] : [[OTHERS, field.others] as const])];
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);
  const paths = members.map(([name]) => pathOf(name));
  // The hub's errors about members without a field in the form.
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
        {field.isRequired && !isBare && <span class="form-needed"> (required)</span>}
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
      {members.length === 0 && <p class="form-help">Nothing to set.</p>}
      <ErrorsPart id={`${id}-errors`} messages={messages} />
    </fieldset>
  );
}

function ListPart({ field, path, draft, onDraft, form }: PartProps<ListField>): VNode {
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
