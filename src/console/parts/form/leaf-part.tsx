/** Renders a field with a single input: text, number, yes or no, choice, or JSON. */

import type { TargetedInputEvent, VNode } from 'preact';
import type { Json } from '../../../core/lib/json.ts';
import { shortText } from '../../text/visible-text.ts';
import { ErrorsPart } from './errors-part.tsx';
import type { ChoiceField, Field, FlagField, GroupField, ListField } from './field.ts';
import { errorsWithin } from './field-errors.ts';
import { elementId, type PartProps } from './field-props.ts';

type LeafField = Exclude<Field, GroupField | ListField>;
type LeafProps = PartProps<LeafField> & { readonly draft: string };

export function LeafPart({ field, path, draft, onDraft, form }: LeafProps): VNode {
  const id = elementId(form, path);
  const messages = errorsWithin(form.errors, path);
  const help = helpOf(field);
  const common = {
    id,
    class: `form-input${field.kind === 'json' ? ' form-input-json' : ''}`,
    value: draft,
    required: field.isRequired && field.fallback === undefined,
    'aria-invalid': messages.length > 0,
    'aria-describedby': `${help === '' ? '' : `${id}-help `}${id}-errors`,
  };
  return (
    <div class="form-field">
      <label class="form-label" for={id}>
        {field.title === '' ? 'Entry' : field.title}
        {common.required && <span class="form-needed"> (required)</span>}
      </label>
      <Input field={field} common={common} onText={onDraft} />
      {help !== '' && (
        <p class="form-help" id={`${id}-help`}>
          {help}
        </p>
      )}
      <ErrorsPart id={`${id}-errors`} messages={messages} />
    </div>
  );
}

interface InputProps {
  readonly field: LeafField;
  readonly common: { readonly value: string; readonly required: boolean; readonly class: string; readonly id: string };
  readonly onText: (text: string) => void;
}

function Input({ field, common, onText }: InputProps): VNode {
  const onInput = (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    onText(event.currentTarget.value);
  switch (field.kind) {
    case 'flag':
    case 'choice':
      return (
        <select {...common} onChange={(event) => onText(event.currentTarget.value)}>
          <option value="">
            {field.fallback === undefined ? '(not set)' : `(default: ${valueText(field.fallback)})`}
          </option>
          {optionsOf(field).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      );
    case 'json':
      return <textarea {...common} rows={4} spellcheck={false} autocomplete="off" onInput={onInput} />;
    case 'number':
      // Use type="text": a number input hides typed text that is not a number.
      return (
        <input
          {...common}
          type="text"
          inputMode={field.isWhole ? 'numeric' : 'decimal'}
          autocomplete="off"
          onInput={onInput}
        />
      );
    case 'text':
      return <input {...common} type="text" autocomplete="off" onInput={onInput} />;
  }
}

function optionsOf(field: FlagField | ChoiceField): readonly (readonly [value: string, text: string])[] {
  if (field.kind === 'flag')
    return [
      ['true', 'yes'],
      ['false', 'no'],
    ];
  return field.options.map((option, i) => [String(i), valueText(option)]);
}

function valueText(value: Json): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return shortText(typeof value === 'string' && value !== '' ? value : JSON.stringify(value));
}

function helpOf(field: LeafField): string {
  const hasDefault = field.fallback !== undefined && field.kind !== 'choice' && field.kind !== 'flag';
  const parts = [field.help, kindText(field), hasDefault ? `default: ${valueText(field.fallback ?? null)}` : ''];
  return parts.filter((one) => one !== '').join('; ');
}

function kindText(field: LeafField): string {
  if (field.kind === 'json') return field.shape === 'any' ? 'JSON' : `a JSON ${field.shape}`;
  if (field.kind !== 'number') return '';
  const { min, max, above, below } = field.bounds;
  const bounds = [
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(above === undefined ? [] : [`more than ${above}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(below === undefined ? [] : [`less than ${below}`]),
  ];
  return [field.isWhole ? 'a whole number' : 'a number', ...bounds].join(', ');
}
