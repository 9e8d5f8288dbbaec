/** A session that somebody is about to open, as it is typed, and the parameters of `create_session` that it comes to. */

import type { CreateParams, ParticipantRef } from '../../../core/records/session/create-params.ts';
import type { Manifest } from '../../../core/records/session/session.ts';
import { type Draft, emptyDraft } from '../form/draft.ts';
import { type Field, fieldOf } from '../form/field.ts';
import type { FieldError } from '../form/field-errors.ts';
import { readForm } from '../form/read-form.ts';
import { isAgentId } from '../graph-editor/graph-problems.ts';
import { OPTIONS, readOptions } from './options.ts';

export interface ParticipantDraft {
  /** By name or id, or whoever offers a capability. */
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

/** Of another type the participants and options stay; its knobs are its own. */
export function newDraft(manifest: Manifest, before?: CreateDraft): CreateDraft {
  return {
    type: manifest.type,
    participants: before?.participants ?? [EMPTY_PARTICIPANT],
    knobs: emptyDraft(knobsField(manifest)),
    options: before?.options ?? emptyDraft(OPTIONS),
  };
}

/** The type's own, and the one that the hub understands in every session. */
export function knobsField({ knobs_schema }: Manifest): Field {
  const field = fieldOf(knobs_schema, 'Knobs', true);
  if (field.kind !== 'group' || field.members.some(([name]) => name === CLOSE_BY)) return field;
  const closeBy = fieldOf({ enum: ['any', 'creator'], default: 'any', description: 'who may close it' }, CLOSE_BY);
  return { ...field, members: [...field.members, [CLOSE_BY, closeBy]] };
}

const CLOSE_BY = 'close_by';

export type CreateRead =
  | { readonly ok: true; readonly params: CreateParams }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** `me`: whoever opens it takes part, first unless listed. */
export function readCreate(draft: CreateDraft, manifest: Manifest, me: string): CreateRead {
  const knobs = readForm(knobsField(manifest), draft.knobs, 'knobs');
  const options = readOptions(draft.options);
  const errors = [...participantErrors(draft, manifest, me), ...knobs.errors, ...options.errors];
  if (errors.length > 0) return { ok: false, errors };
  const { value } = knobs;
  const given = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
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

/** Places that were left empty are nobody. */
function namedIn({ participants }: CreateDraft): readonly ParticipantDraft[] {
  return participants.map(({ by, text }) => ({ by, text: text.trim() })).filter(({ text }) => text !== '');
}

function participantErrors(draft: CreateDraft, { participants: rule }: Manifest, me: string): readonly FieldError[] {
  const named = namedIn(draft);
  const isListed = named.some(({ by, text }) => by === 'name' && text === me);
  const count = named.length + (isListed ? 0 : 1);
  const twice = draft.participants.flatMap(({ by, text }, i) => {
    const name = text.trim();
    const first = draft.participants.findIndex((one) => one.by === 'name' && one.text.trim() === name);
    return by === 'name' && name !== '' && first !== i
      ? [{ field: `participants.${i}`, message: `"${name}" is here twice` }]
      : [];
  });
  if (count < rule.min)
    return [...twice, { field: 'participants', message: `expected at least ${rule.min} with you, got ${count}` }];
  if (rule.max !== null && count > rule.max) {
    return [...twice, { field: 'participants', message: `expected at most ${rule.max} with you, got ${count}` }];
  }
  return twice;
}

/** As the hub gives them: who opens it is the initiator, one other alone the respondent. */
export function roleOf(draft: CreateDraft, { by, text }: ParticipantDraft, me: string): string {
  const named = namedIn(draft);
  const isMe = (one: ParticipantDraft) => one.by === 'name' && one.text.trim() === me;
  if (isMe({ by, text })) return 'initiator';
  return named.filter((one) => !isMe(one)).length <= 1 ? 'respondent' : 'participant';
}

/** Everybody who takes part by name, in order: for a graph to begin with. */
export function participantsFrom(draft: CreateDraft, me: string): readonly string[] {
  const names = namedIn(draft).flatMap(({ by, text }) => (by === 'name' ? [text] : []));
  return [...new Set(names.includes(me) ? names : [me, ...names])];
}

/** Nobody takes part by a capability or an id: what such a one is called only the hub knows. */
export function hasOnlyNames(draft: CreateDraft): boolean {
  return namedIn(draft).every(({ by, text }) => by === 'name' && !isAgentId(text));
}

/** What the hub says of a field of `create_session`, as the form calls it. */
export function asFormError({ field, message }: FieldError): FieldError {
  return { field: field.replace(/^params\./, ''), message };
}
