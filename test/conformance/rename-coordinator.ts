/** Renames repos, workstreams, barriers, runs, turns and files of a coordinator fixture. */

import type { Fixture } from '../../src/governed/conformance/fixture.ts';
import type { Loose } from './mend.ts';

export function renamedCoordinator(fixture: Fixture): Fixture {
  const { setup, input, expected } = fixture;
  const names = namesOf(setup, input.args);
  return { ...fixture, ...(deep({ setup, input, expected }, names) as object) };
}

function namesOf(
  { coordinator_config: config, coordinator_state: state, barriers }: Loose,
  args: Loose,
): Map<string, string> {
  const names = new Map<string, string>([['src', 'lib']]);
  const add = (group: Loose, name: string): void => {
    for (const [at, id] of Object.keys(group ?? {}).entries())
      if (/^[a-z0-9_-]+$/.test(id)) names.set(id, `${name}_${at}`);
  };
  add(config?.repos, 'vessel');
  add(config?.workstreams, 'voyage');
  add(barriers, 'lock');
  for (const run of Object.values<Loose>(state?.repo_runs ?? {})) names.set(run.run_id, `${run.run_id}_renamed`);
  if (state !== undefined) names.set(state.super_run_id, 'srun_renamed');
  const { turn_id } = args.accepted_turn ?? {};
  if (typeof turn_id === 'string' && turn_id.trim() !== '') names.set(turn_id, 'turn_renamed');
  return names;
}

/** Whole words anywhere: names are also parts of paths and error fields. */
function deep(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return value.replace(/[A-Za-z0-9_-]+/g, (word) => names.get(word) ?? word);
  if (Array.isArray(value)) return value.map((one) => deep(one, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [names.get(key) ?? key, deep(one, names)]));
}
