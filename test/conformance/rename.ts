/** Renames a fixture consistently; an engine that follows the rules does not notice. */

import type { Fixture } from '../../src/governed/conformance/fixture.ts';
import { renamedCoordinator } from './rename-coordinator.ts';

type Names = ReadonlyMap<string, string>;

/** Names with a meaning for the engine. */
const MEANT = new Set(['implementation', 'manual', 'human']);

export function renamed(fixture: Fixture): Fixture {
  if (fixture.surface === 'coordinator') return renamedCoordinator(fixture);
  const names = namesOf(fixture);
  // The id and description stay; every other occurrence is renamed.
  const { setup, input, expected } = fixture;
  return { ...fixture, ...(deep({ setup, input, expected }, names) as object) };
}

function namesOf({ setup, input, expected }: Fixture): Names {
  const config = { ...record(setup.config), ...record(input.args.config) };
  const state = record(setup.state);
  const names = new Map<string, string>();
  const add = (group: unknown, after: (name: string, at: number) => string): void => {
    for (const [at, name] of Object.keys(record(group)).entries())
      if (!MEANT.has(name)) names.set(name, after(name, at));
  };
  add(config.roles, (_, at) => `mate_${at}`);
  add(config.routing, (_, at) => `stage-${at}`);
  add(config.gates, (_, at) => `door-${at}`);
  add(config.runtimes, (_, at) => `engine-${at}`);
  add(state.active_turns, (_, at) => `turn_renamed_${at}`);
  if (typeof state.run_id === 'string') names.set(state.run_id, 'run_renamed');
  // Which id is free depends on those that are taken.
  if (JSON.stringify(expected).includes('free_decision_id')) return names;
  const given = JSON.stringify({ setup, input });
  for (const [, id = ''] of given.matchAll(/"(DEC-\d+)"/g)) names.set(id, id.replace('DEC-', 'DEC-77'));
  return names;
}

function deep(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return text(value, names);
  if (Array.isArray(value)) return value.map((one) => deep(one, names));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [text(key, names), deep(one, names)]);
  return Object.fromEntries(entries);
}

/** Renames whole words of dotted or colon-separated names; inside sentences only quoted ones. */
function text(value: string, names: Names): string {
  if (/\s/.test(value))
    return value.replace(/"([^"]+)"/g, (all, name) => (names.has(name) ? `"${names.get(name)}"` : all));
  const moved = value.replace(/^(\.\/)?src\/(?!\.\.)/, '$1lib/deep/');
  return moved
    .split(/([.:])/)
    .map((part) => names.get(part) ?? part)
    .join('');
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
