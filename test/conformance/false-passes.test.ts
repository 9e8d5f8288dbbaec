// One-line adapters against fixtures of every operation: none is conformant.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { own, ownOnDisk } from './corpora.ts';

/** Two fixtures per operation: a process for each fixture would take long. */
const chosen = [...own, ...ownOnDisk].filter(({ input }, at, all) => {
  const before = all.slice(0, at).filter((one) => one.input.operation === input.operation);
  return before.length < 2;
});
const ALL = chosen.length;
const folders: string[] = [];
let line: CommandLine;
let fixtures: string;
beforeAll(async () => {
  line = await CommandLine.open();
  fixtures = mkdtempSync(join(tmpdir(), 'parley-chosen-'));
  folders.push(fixtures);
  for (const [at, one] of chosen.entries()) writeFileSync(join(fixtures, `${at}.json`), JSON.stringify(one));
}, 60_000);
afterAll(async () => {
  await line.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A target whose adapter runs this script for every fixture. */
function saying(script: string, tiers: readonly number[] = [1, 2, 3]): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-false-pass-'));
  folders.push(folder);
  mkdirSync(join(folder, '.agentxchain-conformance'));
  const adapter = { protocol: 'stdio-fixture-v1', command: ['/bin/sh', '-c', `cat > /dev/null; ${script}`] };
  const claims = { implementation: 'probe', protocol_version: 'v7', tiers, adapter };
  writeFileSync(join(folder, '.agentxchain-conformance/capabilities.json'), JSON.stringify(claims));
  return folder;
}

async function checked(target: string, ...args: readonly string[]) {
  const asked = ['conformance', 'check', '--target', target, '--fixtures', fixtures, '--format', 'json', ...args];
  const { code, out } = await line.here(asked);
  return { code, ...JSON.parse(out) };
}

it.each([
  ['alone', `echo '{"status":"pass"}'`],
  ['with an answer', `echo '{"status":"pass","actual":{"result":"success"}}'`],
])(
  '[GV19] an adapter that always says pass, %s, passes no fixture',
  async (_, script) => {
    const report = await checked(saying(script), '--tier', '3');
    expect(report).toMatchObject({ code: 8, is_conformant: false, counts: { fixtures: ALL, as_expected: 0 } });
    const { lied, error } = report.counts;
    expect(lied + error).toBe(ALL);
  },
  60_000,
);

it('[GV19, GX6] an adapter that implements nothing is not conformant', async () => {
  const report = await checked(saying(`echo '{"status":"not_implemented"}'; exit 3`), '--tier', '3');
  const counts = { fixtures: ALL, as_expected: 0, not_implemented: ALL };
  expect(report).toMatchObject({ code: 8, is_conformant: false, counts });
}, 60_000);

it('[GX6] an unclaimed tier does not pass, and its fixtures are not sent', async () => {
  const note = join(tmpdir(), `parley-asked-${process.pid}`);
  folders.push(note);
  const report = await checked(saying(`echo asked >> ${note}; exit 2`, [3]), '--tier', '2');
  const asked = chosen.filter(({ tier }) => tier <= 2).length;
  const counts = { fixtures: asked, skipped: asked, as_expected: 0 };
  expect(report).toMatchObject({ code: 8, is_conformant: false, counts });
  expect(() => rmSync(note)).toThrow('ENOENT');
}, 60_000);

it('[GV19] errors and failures are counted separately; a later one does not hide an earlier one', async () => {
  const byTurns = `if [ -e turn ]; then rm turn; echo '{"status":"fail","actual":{}}'; exit 1; fi; touch turn; echo broken; exit 2`;
  const { counts, ...report } = await checked(saying(byTurns), '--surface', 'state_machine');
  expect(report).toMatchObject({ code: 8, is_conformant: false });
  expect(counts).toMatchObject({ fixtures: counts.error + counts.different, as_expected: 0 });
  expect([counts.error > 0, counts.different > 0]).toEqual([true, true]);
}, 60_000);
