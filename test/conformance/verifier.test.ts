// The verifier against processes: an honest one, and those that are not.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT_OF, type Fixture } from '../../src/governed/conformance/fixture.ts';
import { understood } from '../../src/governed/conformance/verifier/ask.ts';
import { readCorpus } from '../../src/governed/conformance/verifier/corpus.ts';
import { readTarget, type Target, targetOf } from '../../src/governed/conformance/verifier/target.ts';
import { type Report, verify } from '../../src/governed/conformance/verifier/verify.ts';
import { read, required, root, run } from '../package/repository.ts';
import { isRunning } from '../participants/processes/programs.ts';
import { type BuiltScript, builtScript } from '../support/built-script.ts';
import { OWN_FIXTURES, own, ownOnDisk, publicCorpus } from './corpora.ts';

let adapter: BuiltScript;
const folder = mkdtempSync(join(tmpdir(), 'parley-conformance-'));
const few = [...own, ...ownOnDisk].filter((_, at) => at % 70 === 0);

beforeAll(async () => {
  adapter = await builtScript('src/governed/conformance/adapter/main.ts');
});
afterAll(async () => {
  await adapter.remove();
  rmSync(folder, { recursive: true, force: true });
});

function target(command: readonly [string, ...string[]], tiers: readonly number[] = [1, 2, 3]): Target {
  return {
    kind: 'local',
    root: folder,
    implementation: 'probe',
    protocolVersion: 'v7',
    tiers,
    command,
    surfaces: null,
  };
}

function program(source: string, command = process.execPath): Target {
  return target([command, '-e', source]);
}

function check(
  of: Target,
  fixtures: readonly Fixture[] = few,
  asked: { tier?: number; timeoutMs?: number } = {},
): Promise<Report> {
  const corpus = { root: 'here', fixtures, sha256: 'x', problems: [] };
  return verify(of, corpus, { tier: 3, surface: null, timeoutMs: 20_000, atOnce: 2, ...asked });
}

it('[GV18, GV19] the adapter as a process is as expected, and its exit code says what it says', async () => {
  const report = await check(target([process.execPath, adapter.path]));
  expect(report).toMatchObject({
    is_conformant: true,
    counts: { fixtures: few.length, as_expected: few.length },
    findings: [],
  });
});

describe('[GV19] who is found out:', () => {
  it.each([
    ['says pass to everything', `console.log('{"status":"pass","actual":{}}')`, 'lied'],
    [
      'echoes what is expected',
      `let t='';process.stdin.on('data',c=>t+=c).on('end',()=>console.log(JSON.stringify({status:'pass',actual:JSON.parse(t).expected})))`,
      'lied',
    ],
    ['says fail to everything', `console.log('{"status":"fail","actual":{}}');process.exitCode=1`, 'different'],
    ['implements nothing', `console.log('{"status":"not_implemented"}');process.exitCode=3`, 'not_implemented'],
    ['ends with another code than it says', `console.log('{"status":"fail","actual":{}}')`, 'error'],
    ['says what nobody understands', `console.log('PASS')`, 'error'],
    ['says nothing', '', 'error'],
    ['talks before it answers', `console.log('ready');console.log('{"status":"pass","actual":{}}')`, 'error'],
    ['answers twice', `console.log('{"status":"fail","actual":{}}'.repeat(2));process.exitCode=1`, 'error'],
    ['answers a list', `console.log('[{"status":"pass"}]')`, 'error'],
    ['has a status of its own', `console.log('{"status":"ok"}')`, 'error'],
    ['is killed', `console.log('{"status":"pass","actual":{}}');process.kill(process.pid, 'SIGKILL')`, 'error'],
    ['cannot be started', null, 'error'],
    ['never stops talking', `setInterval(() => process.stdout.write('x'.repeat(1e6)), 1)`, 'error'],
    ['talks to stderr only', `console.error('{"status":"fail","actual":{}}');process.exitCode=1`, 'error'],
  ])('an adapter that %s', async (_, source, outcome) => {
    const [one] = few;
    const target = source === null ? program('', 'no-such-program') : program(source);
    const report = await check(target, one === undefined ? [] : [one]);
    expect(report).toMatchObject({ is_conformant: false, counts: { fixtures: 1, as_expected: 0, [outcome]: 1 } });
  });

  it('an adapter that never ends: it is ended, with all it started, whatever signals they ignore', async () => {
    const [one] = few;
    const note = join(folder, 'pids');
    const source = `process.on('SIGTERM', () => {});
      const child = require('node:child_process').spawn('sh', ['-c', 'trap "" TERM; sleep 600 & wait'], { detached: true });
      require('node:fs').writeFileSync(${JSON.stringify(note)}, process.pid + ' ' + child.pid);
      setInterval(() => {}, 1000)`;
    const report = await check(program(source), one === undefined ? [] : [one], { timeoutMs: 1_000 });
    expect(report).toMatchObject({ is_conformant: false, counts: { timed_out: 1 } });
    const pids = readFileSync(note, 'utf8').split(' ').map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.filter(isRunning)).toEqual([]);
  });

  it('an adapter that does not claim what it is asked for', async () => {
    const [one] = few;
    const report = await check(target([process.execPath, adapter.path], [2]), one === undefined ? [] : [one]);
    expect(report).toMatchObject({ is_conformant: false, counts: { fixtures: 1, skipped: 1 } });
  });

  it('an adapter of which a file of the corpus is no fixture', async () => {
    const corpus = {
      root: 'here',
      fixtures: few.slice(0, 1),
      sha256: 'x',
      problems: [{ file: 'b.json', problem: 'none' }],
    };
    const asking = { tier: 3, surface: null, timeoutMs: 20_000, atOnce: 1 };
    const report = await verify(target([process.execPath, adapter.path]), corpus, asking);
    expect(report).toMatchObject({ is_conformant: false, counts: { fixtures: 1, as_expected: 1 } });
  });

  it('[GX6] one surface of a tier that has none of it: nothing was asked, so nothing is conformant', async () => {
    const corpus = { root: 'here', fixtures: own, sha256: 'x', problems: [] };
    const asking = { tier: 1, surface: 'coordinator', timeoutMs: 20_000, atOnce: 1 };
    const report = await verify(target([process.execPath, adapter.path]), corpus, asking);
    expect(report).toMatchObject({ is_conformant: false, counts: { fixtures: 0, as_expected: 0, skipped: 0 } });
  });

  it('an adapter that was asked nothing', async () => {
    expect(await check(target([process.execPath, adapter.path]), [])).toMatchObject({ is_conformant: false });
  });
});

it('[GV19] an answer counts only with the exit code that goes with it', () => {
  for (const [status, code] of Object.entries(EXIT_OF)) {
    expect(understood(JSON.stringify({ status, actual: 1 }), code)).toMatchObject({ kind: 'answered', status });
    expect(understood(JSON.stringify({ status, actual: 1 }), code + 1)).toMatchObject({ kind: 'broken' });
    expect(understood(JSON.stringify({ status, actual: 1 }), null)).toMatchObject({ kind: 'broken' });
  }
});

it('[GV19] a corpus is known by the digest of its paths and contents, and what is no fixture is told', async () => {
  const corpus = join(folder, 'corpus');
  mkdirSync(corpus);
  writeFileSync(join(corpus, 'a.json'), JSON.stringify(few[0]));
  const first = await readCorpus(corpus);
  expect(first).toMatchObject({ fixtures: [few[0]], problems: [] });
  writeFileSync(join(corpus, 'b.json'), '{"fixture_id": 1}');
  const second = await readCorpus(corpus);
  expect(second.problems).toMatchObject([{ file: 'b.json' }]);
  expect(second.sha256).not.toBe(first.sha256);
  expect((await readCorpus(OWN_FIXTURES)).fixtures).toHaveLength(own.length + ownOnDisk.length);
});

it('[GV19] a target says who it is, which tiers it claims and how it is asked', async () => {
  const good = { implementation: 'x', tiers: [1], adapter: { protocol: 'stdio-fixture-v1', command: ['x'] } };
  expect(targetOf('.', good)).toMatchObject({ implementation: 'x', tiers: [1], command: ['x'] });
  for (const wrong of [
    { implementation: '' },
    { tiers: [] },
    { tiers: [4] },
    { adapter: null },
    { adapter: { ...good.adapter, protocol: 'http-fixture-v1' } },
    { adapter: { ...good.adapter, command: [] } },
  ])
    expect(targetOf('.', { ...good, ...wrong })).toEqual(expect.any(String));
  expect(await readTarget(folder)).toEqual(expect.any(String));
});

it('[GV18] the project claims the tiers it implements, by a command that works in a clone', async () => {
  const claimed = await readTarget(root);
  expect(claimed).toMatchObject({
    implementation: 'parley-hub',
    tiers: [1, 2, 3],
    command: ['node', '.agentxchain-conformance/adapter.mjs'],
  });
  expect(read('.agentxchain-conformance/adapter.mjs')).toContain('.ci/build.mjs');
});

/** Machines that build this have it; others need not. */
const skip = publicCorpus === null && !required('shared');

it.skipIf(skip)(
  `[GV18] the public corpus, by a verifier that is not ours${skip ? ' (this machine does not have it)' : ''}`,
  async () => {
    if (publicCorpus === null) throw new Error('PARLEY_REQUIRE asks for the public corpus');
    mkdirSync(join(folder, '.agentxchain-conformance'));
    const capabilities = { ...JSON.parse(read('.agentxchain-conformance/capabilities.json')) };
    capabilities.adapter.command = [process.execPath, adapter.path];
    writeFileSync(join(folder, '.agentxchain-conformance/capabilities.json'), JSON.stringify(capabilities));
    const args = [join(publicCorpus, 'blind-verify.mjs'), join(publicCorpus, 'fixtures'), folder, '--tier', '3'];
    const { code, output } = await run(process.execPath, args);
    const { fixtures, blind_ok, blind_strict_ok, canary_ok } = JSON.parse(output);
    expect({ code, blind_ok, blind_strict_ok, canary_ok }).toEqual({
      code: 0,
      blind_ok: fixtures,
      blind_strict_ok: fixtures,
      canary_ok: fixtures,
    });
  },
  300_000,
);
