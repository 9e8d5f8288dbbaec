/** Which type a session has. */

import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import type { Manifest } from '../../../core/records/session/session.ts';

interface TypePartProps {
  readonly types: readonly { readonly manifest: Manifest }[];
  readonly manifest: Manifest;
  readonly onChoose: (manifest: Manifest) => void;
}

export function TypePart({ types, manifest, onChoose }: TypePartProps): VNode {
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
  const people =
    max === min ? `${min} take part` : max === null ? `${min} or more take part` : `${min} to ${max} take part`;
  const expected = expectations.map(({ name, on_violation }) => `${name} (${on_violation})`).join(', ');
  return `version ${version}; ${people}; seen by default as ${default_view.name}, which its type says${expected === '' ? '' : `; expects ${expected}`}`;
}
