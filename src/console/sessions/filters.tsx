/** Renders the filters of the session list. They are part of the address, so that links keep them. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { useIsNarrow } from '../lib/use-viewport.ts';
import { go } from '../state/navigation.ts';
import { type ListFilter, NO_FILTER, STATES } from '../state/route.ts';

/** Collapses the filters on a narrow page. */
export function Filters({ filter }: { filter: ListFilter }) {
  const isNarrow = useIsNarrow();
  if (!isNarrow) return <FilterForm filter={filter} />;
  return (
    <details class="folded-filters">
      <summary>Filter and search</summary>
      <FilterForm filter={filter} />
    </details>
  );
}

function FilterForm({ filter }: { filter: ListFilter }) {
  const change = (part: Partial<ListFilter>): void =>
    go({ page: 'sessions', filter: { ...filter, ...part } }, { replace: true });
  const isAny = JSON.stringify(filter) !== JSON.stringify(NO_FILTER);
  return (
    <form class="filters" role="search" aria-label="Sessions" onSubmit={(event) => event.preventDefault()}>
      <fieldset class="chips">
        <legend class="unseen">State</legend>
        {STATES.map((state) => (
          <label key={state} class={`chip state-${state.toLowerCase()}`}>
            <input
              type="checkbox"
              checked={filter.states.includes(state)}
              onChange={({ currentTarget }) => change({ states: toggled(filter, state, currentTarget.checked) })}
            />
            <span>{state.toLowerCase()}</span>
          </label>
        ))}
      </fieldset>
      <TextFilter label="Text" value={filter.search} onValue={(search) => change({ search })} />
      <TextFilter label="Type" value={filter.type} onValue={(type) => change({ type })} />
      <TextFilter label="Participant" value={filter.participant} onValue={(participant) => change({ participant })} />
      <TextFilter label="Label or id" value={filter.label} onValue={(label) => change({ label })} />
      <button type="button" class={`quiet${isAny ? '' : ' held'}`} disabled={!isAny} onClick={() => change(NO_FILTER)}>
        Clear
      </button>
    </form>
  );
}

function toggled({ states }: ListFilter, state: ListFilter['states'][number], isOn: boolean): ListFilter['states'] {
  return isOn ? [...states, state] : states.filter((one) => one !== state);
}

/** Pause in typing before a filter applies: some filters ask the hub. */
const PAUSE_MS = 400;

function TextFilter({ label, value, onValue }: { label: string; value: string; onValue(value: string): void }) {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(onValue);
  latest.current = onValue;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (text: string): void => {
    clearTimeout(timer.current);
    if (text.trim() !== value) latest.current(text.trim());
  };
  const type = (text: string): void => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(text.trim()), PAUSE_MS);
  };
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="search"
        value={typed}
        placeholder="any"
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onChange={({ currentTarget }) => apply(currentTarget.value)}
      />
    </label>
  );
}
