/** Which sessions are shown. What is chosen is in the address, so that it can be kept and passed on. */

import { go } from '../navigation.ts';
import { type ListFilter, NO_FILTER, STATES } from '../route.ts';
import { useIsNarrow } from '../virtual/use-viewport.ts';

/** Where there is little room they are folded away. */
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
      <TextFilter label="Said" value={filter.search} onValue={(search) => change({ search })} />
      <TextFilter label="Type" value={filter.type} onValue={(type) => change({ type })} />
      <TextFilter label="Participant" value={filter.participant} onValue={(participant) => change({ participant })} />
      <TextFilter label="Label" value={filter.label} onValue={(label) => change({ label })} />
      {isAny && (
        <button type="button" class="quiet" onClick={() => change(NO_FILTER)}>
          Clear
        </button>
      )}
    </form>
  );
}

function toggled({ states }: ListFilter, state: ListFilter['states'][number], isOn: boolean): ListFilter['states'] {
  return isOn ? [...states, state] : states.filter((one) => one !== state);
}

/** `change`, not every letter: each one is a question to the hub. */
function TextFilter({ label, value, onValue }: { label: string; value: string; onValue(value: string): void }) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="search"
        value={value}
        placeholder="any"
        onChange={({ currentTarget }) => onValue(currentTarget.value.trim())}
      />
    </label>
  );
}
