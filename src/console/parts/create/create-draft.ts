/** Defines the draft of a new session, and converts it to `create_session` parameters. */

import { isPlainObject } from '../../../core/lib/json.ts';
import type { CreateParams, ParticipantRef } from '../../../core/records/session/create-params.ts';
import type { Manifest } from '../../../core/records/session/session.ts';
import { type Draft, emptyDraft, memberIn } from '../form/draft.ts';
import { type Field, fieldOf } from '../form/field.ts';
import type { FieldError } from '../form/field-errors.ts';
import { readForm } from '../form/read-form.ts';
import { isAgentId } from '../graph-editor/graph-problems.ts';
import { OPTIONS, readOptions } from './options.ts';

export interface ParticipantDraft {
  /** Whether `text` is a name (or id) or a capability. */
  readonly by: 'name' | 'capability';
  readonly text: string;
}

export interface CreateDraft {
  readonly type: string;
  readonly participants: readonly ParticipantDraft[];
  readonly knobs: Draft;
  readonly options: Draft;
}

export const EMPTY_PARTICIPANT: ParticipantDraft = { by: 'name', text: '' };

/** Changing the type keeps the participants and options, and resets the knobs. */
export function newDraft(manifest: Manifest, before?: CreateDraft): CreateDraft {
  return {
    type: manifest.type,
    participants: before?.participants ?? [EMPTY_PARTICIPANT],
    knobs: emptyDraft(knobsField(manifest)),
    options: before?.options ?? emptyDraft(OPTIONS),
  };
}

/** The knobs of the type, and `close_by`, which the hub accepts for every type. */
export function knobsField({ knobs_schema }: Manifest): Field {
  const field = fieldOf(knobs_schema, 'Knobs', true);
  if (field.kind !== 'group' || field.members.some(([name]) => name === CLOSE_BY)) return field;
  const closeBy = fieldOf({ enum: ['any', 'creator'], default: 'any', description: 'who may close it' }, CLOSE_BY);
  return { ...field, members: [...field.members, [CLOSE_BY, closeBy]] };
}

const CLOSE_BY = 'close_by';

type CreateRead =
  | { readonly ok: true; readonly params: CreateParams }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** `me`: the creator, who always participates. */
export function readCreate(draft: CreateDraft, manifest: Manifest, me: string): CreateRead {
  const knobs = readForm(knobsField(manifest), draft.knobs, 'knobs');
  const options = readOptions(draft.options);
  const errors = [...participantErrors(draft, manifest, me), ...knobs.errors, ...options.errors];
  if (errors.length > 0) return { ok: false, errors };
  const { value } = knobs;
  const given = isPlainObject(value) ? value : {};
  const participants = namedIn(draft).map(
    ({ by, text }): ParticipantRef => (by === 'name' ? text : { capability: text }),
  );
  const params = {
    type: manifest.type,
    version: manifest.version,
    participants: participants.length === 0 ? [me] : participants,
    ...(Object.keys(given).length === 0 ? {} : { knobs: given as NonNullable<CreateParams['knobs']> }),
    ...options.params,
  };
  return { ok: true, params };
}

/** The participants with trimmed text, without empty rows. */
function namedIn({ participants }: CreateDraft): readonly ParticipantDraft[] {
  return participants.map(({ by, text }) => ({ by, text: text.trim() })).filter(({ text }) => text !== '');
}

function participantErrors(draft: CreateDraft, { participants: rule }: Manifest, me: string): readonly FieldError[] {
  const named = namedIn(draft);
  const isListed = named.some(({ by, text }) => by === 'name' && text === me);
  const count = named.length + (isListed ? 0 : 1);
  const duplicates = draft.participants.flatMap(({ by, text }, i) => {
    const name = text.trim();
    const first = draft.participants.findIndex((one) => one.by === 'name' && one.text.trim() === name);
    const isDuplicate = by === 'name' && name !== '' && first !== i;
    return isDuplicate ? [{ field: `participants.${i}`, message: `"${name}" is listed twice` }] : [];
  });
  const tooMany = rule.max !== null && count > rule.max ? `most ${rule.max}` : null;
  const limit = count < rule.min ? `least ${rule.min}` : tooMany;
  if (limit === null) return duplicates;
  return [...duplicates, { field: 'participants', message: `expected at ${limit} including you, got ${count}` }];
}

/** Predicts the role the hub assigns: the creator is the initiator, a single other participant the respondent. */
export function roleOf(draft: CreateDraft, { by, text }: ParticipantDraft, me: string): string {
  const named = namedIn(draft);
  const isMe = (one: ParticipantDraft) => one.by === 'name' && one.text.trim() === me;
  if (isMe({ by, text })) return 'initiator';
  return named.filter((one) => !isMe(one)).length <= 1 ? 'respondent' : 'participant';
}

/** The names of all participants given by name, in order, including the creator. */
export function participantsFrom(draft: CreateDraft, me: string): readonly string[] {
  const names = namedIn(draft).flatMap(({ by, text }) => (by === 'name' ? [text] : []));
  return [...new Set(names.includes(me) ? names : [me, ...names])];
}

/** False if a participant is given by capability or id: only the hub knows its name. */
export function hasOnlyNames(draft: CreateDraft): boolean {
  return namedIn(draft).every(({ by, text }) => by === 'name' && !isAgentId(text));
}

/** Converts the field name of a hub error to that of the form. */
export function asFormError({ field, message }: FieldError): FieldError {
  return { field: field.replace(/^params\./, ''), message };
}

/** A draft that the hub rejected, with its errors. */
export interface RejectedDraft {
  readonly draft: CreateDraft;
  readonly errors: readonly FieldError[];
}

/** The errors whose fields have not been edited since the hub rejected the draft. */
export function activeErrors({ draft, errors }: RejectedDraft, now: CreateDraft): readonly FieldError[] {
  return errors.filter((error) => {
    const { field } = asFormError(error);
    return JSON.stringify(subjectOf(draft, field)) === JSON.stringify(subjectOf(now, field));
  });
}

/** The part of a draft that an error is about. A graph depends on the participants. */
function subjectOf({ type, participants, knobs, options }: CreateDraft, field: string): unknown {
  const [part = '', name] = field.split('.');
  switch (part) {
    case '':
      return null;
    case 'type':
      return type;
    case 'participants':
      return participants;
    case 'knobs':
      return name === undefined ? [type, knobs] : [type, memberIn(knobs, name), name === 'graph' ? participants : null];
    default:
      return memberIn(options, part);
  }
}
