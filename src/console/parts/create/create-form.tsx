/** Renders the form for a new session: type, participants, knobs and options. */

import type { VNode } from 'preact';
import { useId, useMemo, useState } from 'preact/hooks';
import type { JsonObject } from '../../../core/lib/json.ts';
import type { SessionType } from '../../../core/protocol/operations/console-sessions.ts';
import type { CreateParams } from '../../../core/records/session/create-params.ts';
import type { Manifest } from '../../../core/records/session/session.ts';
import '../parts.css';
import '../form/form.css';
import './create.css';
import { longText } from '../../text/visible-text.ts';
import { type Draft, textIn } from '../form/draft.ts';
import type { Field } from '../form/field.ts';
import { errorsElsewhere, type FieldError } from '../form/field-errors.ts';
import type { Custom, CustomProps } from '../form/field-props.ts';
import { SchemaForm } from '../form/schema-form.tsx';
import { RunnerNote } from '../governed/badge.tsx';
import { GraphEditor } from '../graph-editor/graph-editor.tsx';
import type { GraphCheck } from '../graph-editor/graph-problems.ts';
import type { Delays } from '../graph-editor/latest.ts';
import {
  asFormError,
  type CreateDraft,
  hasOnlyNames,
  knobsField,
  newDraft,
  participantsFrom,
  readCreate,
} from './create-draft.ts';
import { INTENT, OPTIONS, OTHER_OPTIONS } from './options.ts';
import { ParticipantsPart } from './participants-part.tsx';

interface CreateFormProps {
  /** At least one type. */
  readonly types: readonly SessionType[];
  /** Suggested names; others can be typed. */
  readonly agents: readonly string[];
  /** The name of the creator. */
  readonly me: string;
  readonly draft: CreateDraft;
  readonly onDraft: (draft: CreateDraft) => void;
  /** Called only with parameters in which the form finds no error. */
  readonly onCreate: (params: CreateParams) => void;
  /** True while the session is being created. */
  readonly isBusy: boolean;
  /** The hub's errors; an error without a field is about the whole request. */
  readonly refused: readonly FieldError[];
  /** Asks the hub to check a graph (`check_graph`). */
  readonly check: (graph: JsonObject) => Promise<GraphCheck>;
  readonly delays: Delays;
}

const FIELDS = ['type', 'participants', 'knobs', ...OPTIONS.members.map(([name]) => name)];

export function CreateForm(props: CreateFormProps): VNode | null {
  const { types, draft, onDraft, me, agents, onCreate, isBusy } = props;
  const [isTried, setTried] = useState(false);
  const type = types.find(({ manifest }) => manifest.type === draft.type) ?? types[0];
  const manifest = type?.manifest;
  const field = useMemo(() => (manifest === undefined ? null : knobsField(manifest)), [manifest]);
  if (type === undefined || manifest === undefined || field === null) return null;
  const read = readCreate(draft, manifest, me);
  // Missing values are reported only after the first attempt to submit.
  const errors = [...(isTried && !read.ok ? read.errors : []), ...props.refused.map(asFormError)];
  const setOptions = (options: Draft) => onDraft({ ...draft, options });
  // Errors about the whole request are shown once, at the end.
  const fieldErrors = errors.filter(({ field }) => field !== '');
  const optionsForm = (options: Field) => (
    <SchemaForm field={options} path="" draft={draft.options} onDraft={setOptions} errors={fieldErrors} />
  );
  const submit = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (read.ok && !isBusy) onCreate(read.params);
  };
  return (
    <form class="create" onSubmit={submit} noValidate>
      <TypePart types={types} manifest={manifest} onChoose={(chosen) => onDraft(newDraft(chosen, draft))} />
      {manifest.type === 'governed' && <RunnerNote />}
      {optionsForm(INTENT)}
      <ParticipantsPart manifest={manifest} agents={agents} me={me} draft={draft} onDraft={onDraft} errors={errors} />
      <h3>Knobs</h3>
      <SchemaForm
        key={manifest.type}
        field={field}
        path="knobs"
        draft={draft.knobs}
        onDraft={(knobs) => onDraft({ ...draft, knobs })}
        errors={errors}
        custom={type.graph === null ? {} : { 'knobs.graph': graphField(props) }}
      />
      <details>
        <summary>Options</summary>
        {optionsForm(OTHER_OPTIONS)}
      </details>
      <Rest errors={errorsElsewhere(errors, FIELDS)} count={errors.length} />
      <button type="submit" class="form-button form-button-main" disabled={isBusy}>
        {isBusy ? 'Opening\u2026' : 'Open the session'}
      </button>
    </form>
  );
}

interface TypePartProps {
  readonly types: readonly { readonly manifest: Manifest }[];
  readonly manifest: Manifest;
  readonly onChoose: (manifest: Manifest) => void;
}

function TypePart({ types, manifest, onChoose }: TypePartProps): VNode {
  const id = useId();
  const choose = (type: string) => {
    const chosen = types.find((one) => one.manifest.type === type);
    if (chosen !== undefined) onChoose(chosen.manifest);
  };
  return (
    <div class="form-field">
      <label class="form-label" for={id}>
        Type
      </label>
      <select
        id={id}
        class="form-input"
        value={manifest.type}
        aria-describedby={`${id}-help`}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {types.map(({ manifest: { type } }) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </select>
      <p class="form-help" id={`${id}-help`}>
        {helpOf(manifest)}
      </p>
    </div>
  );
}

function helpOf({ version, participants: { min, max }, default_view, expectations }: Manifest): string {
  const range = max === null ? `${min} or more` : `${min} to ${max}`;
  const expected = expectations.map(({ name, on_violation }) => `${name} (${on_violation})`).join(', ');
  return [
    `version ${version}`,
    `${max === min ? min : range} participants`,
    `default view ${default_view.name}`,
    ...(expected === '' ? [] : [`expectations ${expected}`]),
  ].join('; ');
}

/** Shows the errors that no field shows, and tells screen readers how many errors are above. */
function Rest({ errors, count }: { readonly errors: readonly FieldError[]; readonly count: number }): VNode {
  return (
    <div role="alert">
      {count > errors.length && <p class="form-error">{problemsAbove(count - errors.length)}</p>}
      {errors.map(({ field, message }) => (
        <p key={`${field} ${message}`} class="form-error">
          {longText(message)}
        </p>
      ))}
    </div>
  );
}

function problemsAbove(count: number): string {
  return count === 1 ? '1 problem above' : `${count} problems above`;
}

function graphField({ check, delays, draft: create, me }: CreateFormProps): Custom {
  return ({ path, title, draft, onDraft, errors }: CustomProps) => (
    <GraphEditor
      label={title}
      text={textIn(draft)}
      onText={onDraft}
      check={check}
      people={participantsFrom(create, me)}
      mayBeOthers={!hasOnlyNames(create)}
      delays={delays}
      refused={errors.filter(({ field }) => field === path || field.startsWith(`${path}.`))}
    />
  );
}
