// Seals bundles on disk and detects later changes.

import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkSeal, finaliseManifest, inspectManifest, verifyManifest } from '../../../src/governed/index.ts';
import { Project } from '../hooks/project.ts';

const NOW = '2030-01-02T03:04:05.000Z';
const WHO = { run_id: 'run_lamp', turn_id: 'turn_wick', role: 'builder' };
const BUNDLE = '.agentxchain/dispatch/turns/turn_wick';

let project: Project;
beforeEach(() => {
  project = new Project();
  project.write(`${BUNDLE}/PROMPT.md`, 'Trim the wick.');
  project.write(`${BUNDLE}/notes/oil.md`, 'Whale');
});
afterEach(() => project.remove());

async function seal(): Promise<string> {
  const sealed = await finaliseManifest(project.root, WHO, NOW);
  if (!sealed.ok) throw new Error(sealed.error);
  return sealed.digest;
}

async function faults(more: object = {}): Promise<readonly string[]> {
  const { errors } = await verifyManifest(project.root, { turnId: 'turn_wick', ...more });
  return errors.map(({ type, path }) => `${type} ${path}`).sort();
}

it('[GF1] a sealed bundle with folders verifies; sealing again gives the same digest', async () => {
  const digest = await seal();
  expect(await faults({ identity: WHO, digest })).toEqual([]);
  expect(await inspectManifest(project.root, 'turn_wick')).toMatchObject({
    file_paths: ['PROMPT.md', 'notes/oil.md'],
    manifest_contains_self: false,
  });
  expect(await seal()).toBe(digest);
});

it('[GF1] does not seal a bundle that is missing, empty or contains links', async () => {
  expect(await finaliseManifest(project.root, { ...WHO, turn_id: 'turn_none' }, NOW)).toMatchObject({
    error_code: 'bundle_missing',
  });
  symlinkSync('/etc/hostname', join(project.root, BUNDLE, 'notes/link'));
  expect(await finaliseManifest(project.root, WHO, NOW)).toMatchObject({ error_code: 'unsafe_path' });
  rmSync(join(project.root, BUNDLE), { recursive: true });
  mkdirSync(join(project.root, BUNDLE));
  expect(await finaliseManifest(project.root, WHO, NOW)).toMatchObject({ error_code: 'bundle_empty' });
});

it.each(['../turn_x', 'a/b', '..', '', '/etc', 'a\0b'])('[GF9] refuses the invalid turn id %j', async (turn_id) => {
  expect(await finaliseManifest(project.root, { ...WHO, turn_id }, NOW)).toMatchObject({
    ok: false,
    error_code: 'unsafe_path',
  });
  expect(await verifyManifest(project.root, { turnId: turn_id })).toMatchObject({
    ok: false,
    errors: [{ type: 'invalid_manifest' }],
  });
});

it('[GF2] finds changes in subfolders', async () => {
  await seal();
  project.write(`${BUNDLE}/notes/oil.md`, 'Whalf');
  project.write(`${BUNDLE}/notes/deep/new.md`, '');
  expect(await faults()).toEqual(['digest_mismatch notes/oil.md', 'unexpected_file notes/deep/new.md']);
});

it('[GF3] a digest kept elsewhere reveals edits of both a file and the manifest', async () => {
  const digest = await seal();
  project.write(`${BUNDLE}/PROMPT.md`, 'Put it out.');
  await seal();
  expect(await faults({ identity: WHO })).toEqual([]);
  expect(await faults({ identity: WHO, digest })).toEqual(['digest_mismatch MANIFEST.json']);
});

it('[GF3] a sealed bundle moved to another turn fails the identity check', async () => {
  await seal();
  renameSync(join(project.root, BUNDLE), join(project.root, '.agentxchain/dispatch/turns/turn_other'));
  const other = { turnId: 'turn_other', identity: { run_id: 'run_other', turn_id: 'turn_other', role: 'critic' } };
  expect(await faults(other)).toEqual(Array.from({ length: 3 }, () => 'identity_mismatch MANIFEST.json'));
});

it('[GF4] refuses a declared file replaced by a link, even with the same content', async () => {
  await seal();
  const place = join(project.root, BUNDLE, 'PROMPT.md');
  renameSync(place, join(project.root, 'elsewhere'));
  symlinkSync(join(project.root, 'elsewhere'), place);
  expect(await faults()).toEqual(['unsafe_path PROMPT.md']);
});

it('[GF4] reports an undeclared link and does not follow a linked folder', async () => {
  await seal();
  symlinkSync('/etc', join(project.root, BUNDLE, 'etc'));
  expect(await faults()).toEqual(['unexpected_file etc']);
});

it('[GF4] refuses a linked manifest and a linked bundle', async () => {
  await seal();
  const manifest = join(project.root, BUNDLE, 'MANIFEST.json');
  renameSync(manifest, join(project.root, 'm.json'));
  symlinkSync(join(project.root, 'm.json'), manifest);
  expect(await faults()).toEqual(['invalid_manifest MANIFEST.json']);
  renameSync(join(project.root, BUNDLE), join(project.root, 'bundle'));
  symlinkSync(join(project.root, 'bundle'), join(project.root, BUNDLE));
  expect(await faults()).toEqual(['invalid_manifest MANIFEST.json']);
});

it('[GF4] refuses an entry that leads out of the bundle without reading it', async () => {
  await seal();
  const place = join(project.root, BUNDLE, 'MANIFEST.json');
  const manifest = JSON.parse(readFileSync(place, 'utf8'));
  manifest.files.push({ path: '../../../state.json', sha256: '0'.repeat(64), size: 1 });
  writeFileSync(place, JSON.stringify(manifest));
  expect(await faults()).toEqual(['unsafe_path ../../../state.json']);
});

it('[GF2] an unsealed bundle passes unless a seal is required or known; a sealed one must be unchanged', async () => {
  const may = async (policy: object, given: object = {}): Promise<boolean> =>
    (await checkSeal(project.root, { turnId: 'turn_wick', ...given }, policy)).ok;
  expect([await may({}), await may({ verifyManifest: true }), await may({}, { digest: 'x' })]).toEqual([
    true,
    false,
    false,
  ]);
  await seal();
  expect([await may({}), await may({ verifyManifest: true })]).toEqual([true, true]);
  project.write(`${BUNDLE}/PROMPT.md`, 'Put it out.');
  expect([await may({}), await may({ skipManifestVerification: true })]).toEqual([false, true]);
});
