/** Edits the participants in order, each given by name or capability. */

import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import type { Manifest } from '../../../core/records/session/session.ts';
import { ErrorsPart } from '../form/errors-part.tsx';
import { errorsOf, type FieldError } from '../form/field-errors.ts';
import { type CreateDraft, EMPTY_PARTICIPANT, type ParticipantDraft, roleOf } from './create-draft.ts';

interface ParticipantsPartProps {
  readonly manifest: Manifest;
  readonly agents: readonly string[];
  readonly me: string;
  readonly draft: CreateDraft;
  readonly onDraft: (draft: CreateDraft) => void;
  readonly errors: readonly FieldError[];
}

export function ParticipantsPart({ manifest, agents, me, draft, onDraft, errors }: ParticipantsPartProps): VNode {
  const id = useId();
  const { max } = manifest.participants;
  const put = (participants: readonly ParticipantDraft[]) => onDraft({ ...draft, participants });
  const isFull = max !== null && draft.participants.length >= max;
  return (
    <fieldset class="form-list" aria-describedby={`${id}-help ${id}-errors`}>
      <legend>Participants</legend>
      <p class="form-help" id={`${id}-help`}>
        {`${me} (you) is the initiator and comes first, unless listed elsewhere.`}
      </p>
      <datalist id={`${id}-names`}>
        {agents.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {draft.participants.map((one, i) => (
        <ParticipantRow
          key={i}
          id={`${id}-${i}`}
          names={`${id}-names`}
          place={i + 1}
          role={roleOf(draft, one, me)}
          participant={one}
          onChange={(next) => put(draft.participants.with(i, next))}
          onRemove={() => put(draft.participants.toSpliced(i, 1))}
          messages={errorsOf(errors, `participants.${i}`)}
        />
      ))}
      <button
        type="button"
        class="form-button"
        disabled={isFull}
        onClick={() => put([...draft.participants, EMPTY_PARTICIPANT])}
      >
        Add a participant
      </button>
      <ErrorsPart id={`${id}-errors`} messages={errorsOf(errors, 'participants')} />
    </fieldset>
  );
}

interface RowProps {
  readonly id: string;
  readonly names: string;
  readonly place: number;
  readonly role: string;
  readonly participant: ParticipantDraft;
  readonly onChange: (participant: ParticipantDraft) => void;
  readonly onRemove: () => void;
  readonly messages: readonly string[];
}

function ParticipantRow({ id, names, place, role, participant, onChange, onRemove, messages }: RowProps): VNode {
  const isNamed = participant.by === 'name';
  return (
    <div class="form-row create-participant">
      <div>
        <label class="part-unseen" for={id}>
          {`Participant ${place}: ${isNamed ? 'name or id' : 'capability'}`}
        </label>
        <input
          id={id}
          class="form-input"
          type="text"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          {...(isNamed ? { list: names } : {})}
          placeholder={isNamed ? 'name' : 'capability'}
          value={participant.text}
          aria-invalid={messages.length > 0}
          aria-describedby={`${id}-role ${id}-errors`}
          onInput={(event) => onChange({ ...participant, text: event.currentTarget.value })}
        />
        <ErrorsPart id={`${id}-errors`} messages={messages} />
      </div>
      <label class="part-unseen" for={`${id}-by`}>
        {`Participant ${place} is chosen by`}
      </label>
      <select
        id={`${id}-by`}
        class="form-input create-by"
        value={participant.by}
        onChange={(event) =>
          onChange({ ...participant, by: event.currentTarget.value === 'name' ? 'name' : 'capability' })
        }
      >
        <option value="name">by name</option>
        <option value="capability">by capability</option>
      </select>
      <span class="create-role" id={`${id}-role`}>
        {role}
      </span>
      <button type="button" class="form-button" onClick={onRemove}>
        Remove <span class="part-unseen">{`participant ${place}`}</span>
      </button>
    </div>
  );
}
