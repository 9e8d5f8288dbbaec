// Tier 2 fixtures, on disk and with processes: as they are, blind, renamed and mended.

import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { digestOf } from 'parley-hub/governed/engine';
import { describe, expect, it } from 'vitest';
import { DISK_OPERATIONS } from '../../src/governed/conformance/adapter/disk-operations.ts';
import { executeAnyFixture } from '../../src/governed/conformance/adapter/execute.ts';
import type { Answer, Fixture } from '../../src/governed/conformance/fixture.ts';
import { difference } from '../../src/governed/conformance/match.ts';
import { HOOK_ACTIONS, HOOK_PHASES } from '../../src/governed/engine/hooks/hook.ts';
import { foreignOnDisk, ownOnDisk } from './corpora.ts';
import { renamed } from './rename.ts';

/** A few at once: each mostly waits for its processes. */
async function answers(fixtures: readonly Fixture[]): Promise<readonly (readonly [Fixture, Answer])[]> {
  const found: (readonly [Fixture, Answer])[] = [];
  const waiting = [...fixtures];
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      found.push([one, await executeAnyFixture({ ...one, expected: { result: '__withheld__' } })]);
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  return found;
}

function wrongOf(found: readonly (readonly [Fixture, Answer])[]): readonly string[] {
  return found.flatMap(([{ fixture_id, description, expected }, { status, actual }]) => {
    if (status !== 'fail') return [`${fixture_id}: says ${status} to what cannot be`];
    const place = difference(expected, actual, true);
    return place === null ? [] : [`${fixture_id} (${description}) at ${place}`];
  });
}

const all = [...ownOnDisk, ...foreignOnDisk];

it('[GF1, GF2, GF3, GF4, GH2, GH3, GH4, GV18] every fixture is strictly as expected, with the expectation withheld', async () => {
  const digest = digestOf(all);
  expect(wrongOf(await answers(all))).toEqual([]);
  expect(digestOf(all)).toBe(digest);
}, 120_000);

it('[GV20] they are as expected with turns, runs, roles, hooks and files renamed', async () => {
  expect(wrongOf(await answers(all.filter(isQuick).map(otherwise)))).toEqual([]);
}, 120_000);

it("[GV20] the project's fixtures cover every operation, hook phase and action", () => {
  const asked = JSON.stringify(ownOnDisk);
  expect(Object.keys(DISK_OPERATIONS).filter((name) => !asked.includes(`"${name}"`))).toEqual([]);
  expect(HOOK_PHASES.filter((phase) => !asked.includes(`"phase":"${phase}"`))).toEqual([]);
  expect(HOOK_ACTIONS.filter((action) => !asked.includes(`"orchestrator_action":"${action}"`))).toEqual([]);
});

describe('[GV20] with its defect mended', () => {
  const manifests = all.filter(
    ({ surface, expected }) => surface === 'dispatch_manifest' && expected.result === 'error',
  );
  it('a refused bundle verifies', async () => {
    const mended = manifests.map((fixture) => ({ ...fixture, setup: untouched(fixture.setup) }));
    const still = (await answers(mended)).filter(([, { actual }]) => resultOf(actual).result !== 'success');
    expect(still.map(([{ fixture_id }]) => fixture_id)).toEqual([]);
    expect(manifests.length).toBeGreaterThan(20);
  });

  const stopped = all.filter(({ expected }) => expected.hook_ok === false);
  it('a stopped phase continues', async () => {
    const still = (await answers(stopped.map(withGoodHooks))).filter(([, { actual }]) => !resultOf(actual).hook_ok);
    expect(still.map(([{ fixture_id }]) => fixture_id)).toEqual([]);
    expect(stopped.length).toBeGreaterThan(20);
  });
});

it('[GV18] an unknown setup member is an error, and no folder remains', async () => {
  const [fixture] = ownOnDisk;
  const strange = { ...fixture, setup: { ...fixture?.setup, weather: 'fog' } };
  expect(await executeAnyFixture(strange)).toMatchObject({ status: 'error', actual: null });
  const escaping = { ...fixture, setup: { ...fixture?.setup, filesystem: { '../escaped': 'x' } } };
  await expect(executeAnyFixture(escaping)).rejects.toThrow('../escaped is no file of a project');
  expect(readdirSync(tmpdir()).filter((name) => name === 'escaped')).toEqual([]);
});

/** Slow fixtures are not worth repeating. */
function isQuick({ setup }: Fixture): boolean {
  return !/sleep|setTimeout/.test(JSON.stringify(setup));
}

/** Renames files and hooks too, except those with a meaning. */
function otherwise(fixture: Fixture): Fixture {
  const text = JSON.stringify(renamed(fixture))
    .replaceAll('"PROMPT.md"', '"TASK.md"')
    .replaceAll('/PROMPT.md"', '/TASK.md"')
    .replaceAll('"OIL.md"', '"extra.bin"')
    .replaceAll('"hook_name":"watch"', '"hook_name":"look-out_2"')
    .replaceAll('"name":"watch"', '"name":"look-out_2"');
  // In shell scripts the name stands within other text.
  return JSON.parse(
    text
      .replaceAll('_gate watch run_lamp', '_gate look-out_2 run_renamed')
      .replaceAll('\\"watch\\"', '\\"look-out_2\\"'),
  );
}

function untouched(setup: Fixture['setup']): Fixture['setup'] {
  const kept = Object.entries(setup).filter(([name]) => !name.startsWith('post_finalize_'));
  const turns = Object.keys((setup.state as { readonly active_turns: object }).active_turns);
  const bundles = (setup.dispatch_bundle ?? {}) as Readonly<Record<string, object>>;
  const filled = turns.map((id) => [id, { 'A.md': 'a', ...bundles[id] }]);
  return { ...Object.fromEntries(kept), dispatch_bundle: Object.fromEntries(filled) };
}

function withGoodHooks(fixture: Fixture): Fixture {
  const config = fixture.setup.config as { readonly hooks: Readonly<Record<string, readonly object[]>> };
  const command = ['sh', '-c', `echo '{"verdict":"allow"}'`];
  const hooks = Object.entries(config.hooks).map(([phase, list]) => [
    phase,
    list.map((hook) => ({ ...hook, type: 'process', command, env: {}, timeout_ms: 5_000 })),
  ]);
  return { ...fixture, setup: { ...fixture.setup, config: { ...config, hooks: Object.fromEntries(hooks) } } };
}

function resultOf(actual: unknown): Readonly<Record<string, unknown>> {
  return actual as Readonly<Record<string, unknown>>;
}
