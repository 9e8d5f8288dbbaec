/** Checks of an adapter's manifest, its optional members and its golden log. */

import assert from 'node:assert/strict';
import { isPlainObject } from '../../core/lib/json.ts';
import { GRANTS } from '../../core/records/access/grants.ts';
import { assertJson, assertName, doing } from '../lib/assertions.ts';
import { type GoldenLog, replayGolden } from './golden-log.ts';
import type { Trial } from './trial.ts';

export function manifestIsSane({ adapter: { manifest } }: Trial): void {
  assertJson(manifest, 'manifest');
  const { type, version, participants, knobs_schema, default_view, expectations } = manifest;
  const { min, max, roles } = participants;
  assertName(type, 'manifest.type');
  assert.ok(isWhole(version), `manifest.version must be a whole number ≥ 1, got ${version}`);
  assert.ok(isWhole(min), `participants.min must be a whole number ≥ 1, got ${min}`);
  assert.ok(max === null || (isWhole(max) && max >= min), `participants.max must be null or ≥ min, got ${max}`);
  for (const role of roles) assertName(role, 'participants.roles[]');
  assert.ok(isPlainObject(knobs_schema), 'manifest.knobs_schema must be a JSON Schema object');
  assertRef(default_view, 'manifest.default_view');
  for (const [i, entry] of expectations.entries()) {
    assertRef(entry, `manifest.expectations[${i}]`);
    assertName(entry.on_violation, `manifest.expectations[${i}].on_violation`);
    for (const who of entry.applies_to ?? []) assertName(who, `manifest.expectations[${i}].applies_to[]`);
  }
}

export function extrasArePlain({ adapter, histories }: Trial): void {
  for (const { log, positions } of histories()) {
    for (const { metadata, adapter_state } of positions) {
      assertAwaited(adapter.awaits(metadata, adapter_state));
      assertJson(adapter.buildRound(metadata, adapter_state, { text: 'hello' }), 'buildRound');
      for (const { agent_id } of metadata.participants) {
        assertRef(adapter.defaultView(metadata, agent_id), 'defaultView');
        assertJson(adapter.tools(metadata, adapter_state, agent_id), 'tools');
        const shown = adapter.publicState(metadata, adapter_state, agent_id);
        assert.ok(isPlainObject(shown), `publicState must be an object, got ${JSON.stringify(shown)}`);
        assertJson(shown, 'publicState');
      }
    }
    for (const envelope of log) {
      assert.equal(typeof adapter.render(envelope), 'string', `render(${envelope.event_type}) must be text`);
      assert.equal(typeof adapter.turnInput(envelope), 'string', `turnInput(${envelope.event_type}) must be text`);
    }
  }
}

function assertAwaited(awaits: ReturnType<Trial['adapter']['awaits']>): void {
  if (awaits === null) return;
  const { text, grant } = awaits;
  const isLine = typeof text === 'string' && text.length >= 1 && text.length <= 200 && !/\p{Cc}/u.test(text);
  assert.ok(isLine, `awaits.text must be a line of 1 to 200 characters, got ${JSON.stringify(text)}`);
  assert.ok(Object.hasOwn(GRANTS, grant), `awaits.grant must be a grant, got ${grant}`);
}

export function behavesAsPinned({ adapter }: Trial, golden: GoldenLog): void {
  const { type, version } = adapter.manifest;
  const pinned = `the golden log is of ${golden.type} ${golden.version}, the adapter is ${type} ${version}`;
  assert.ok(golden.type === type && golden.version === version, `${pinned}; record a new one`);
  const created = golden.steps[0];
  assert.ok(created !== undefined && 'envelope' in created, 'a golden log begins with session.created');
  const needsVersion = `any change to what an adapter returns needs a new version (${type} ${version} is released)`;
  assert.deepStrictEqual(adapter.manifest, created.envelope.event_data.manifest, needsVersion);
  const replayed = doing(needsVersion, () => replayGolden(adapter, golden));
  const now: unknown = JSON.parse(JSON.stringify(replayed));
  assert.deepStrictEqual(now, golden, needsVersion);
}

function assertRef(ref: { readonly name: string; readonly params: unknown }, what: string): void {
  assertJson(ref, what);
  assertName(ref.name, `${what}.name`);
  assert.ok(isPlainObject(ref.params), `${what}.params must be an object`);
}

function isWhole(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}
