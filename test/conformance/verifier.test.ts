// The verifier against honest and dishonest processes.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
import { sharedFolder } from '../support/temp-folder.ts';
import { OWN_FIXTURES, own, ownOnDisk, publicCorpus } from './corpora.ts';

let adapter: BuiltScript;
const folder = sharedFolder('conformance');
const few = [...own, ...ownOnDisk].filter((_, at) => at % 70 === 0);
const one = few.slice(0, 1);

beforeAll(async () => {
  adapter = await builtScript('src/governed/conformance/adapter/main.ts');
});
afterAll(() => adapter.remove());

function target(command: readonly [string, ...string[]], tiers: readonly number[] = [1, 2, 3]): Target {
  const claims = { implementation: 'probe', protocolVersion: 'v7', tiers, surfaces: null };
  return { kind: 'local', root: folder.path, command, ...claims };
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

it('[GV18, GV19] the adapter process is as expected, and its exit code matches its answer', async () => {
  const report = await check(target([process.execPath, adapter.path]));
  const counts = { fixtures: few.length, as_expected: few.length };
  expect(report).toMatchObject({ is_conformant: true, counts, findings: [] });
});

describe('[GV19] exposes', () => {
  it.each([
    ['says pass to everything', `console.log('{"status":"pass","actual":{}}')`, 'lied'],
    [
      'echoes the expectation',
      `let t='';process.stdin.on('data',c=>t+=c).on('end',()=>console.log(JSON.stringify({status:'pass',actual:JSON.parse(t).expected})))`,
      'lied',
    ],
    ['says fail to everything', `console.log('{"status":"fail","actual":{}}');process.exitCode=1`, 'different'],
    ['implements nothing', `console.log('{"status":"not_implemented"}');process.exitCode=3`, 'not_implemented'],
    ['ends with another exit code', `console.log('{"status":"fail","actual":{}}')`, 'error'],
    ['answers no JSON', `console.log('PASS')`, 'error'],
    ['says nothing', '', 'error'],
    ['talks before it answers', `console.log('ready');console.log('{"status":"pass","actual":{}}')`, 'error'],
    ['answers twice', `console.log('{"status":"fail","actual":{}}'.repeat(2));process.exitCode=1`, 'error'],
    ['answers a list', `console.log('[{"status":"pass"}]')`, 'error'],
    ['answers an unknown status', `console.log('{"status":"ok"}')`, 'error'],
    ['is killed', `console.log('{"status":"pass","actual":{}}');process.kill(process.pid, 'SIGKILL')`, 'error'],
    ['cannot be started', null, 'error'],
    ['never stops talking', `setInterval(() => process.stdout.write('x'.repeat(1e6)), 1)`, 'error'],
    ['talks to stderr only', `console.error('{"status":"fail","actual":{}}');process.exitCode=1`, 'error'],
  ])('an adapter that %s', async (_, source, outcome) => {
    const target = source === null ? program('', 'no-such-program') : program(source);
    const report = await check(target, one);
    expect(report).toMatchObject({ is_conformant: false, counts: { fixtures: 1, as_expected: 0, [outcome]: 1 } });
  });

  it('an adapter that never ends, and kills all its processes whatever signals they ignore', async () => {
    const note = join(folder.path, 'pids');
    const source = `process.on('SIGTERM', () => {});
      const child = require('node:child_process').spawn('sh', ['-c', 'trap "" TERM; sleep 600 & wait'], { detached: true });
      require('node:fs').writeFileSync(${JSON.stringify(note)}, process.pid + ' ' + child.pid);
      setInterval(() => {}, 1000)`;
    const report = await check(program(source), one, { timeoutMs: 1_000 });
    expect(report).toMatchObject({ is_conformant: false, counts: { timed_out: 1 } });
    const pids = readFileSync(note, 'utf8').split(' ').map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.filter(isRunning)).toEqual([]);
  });

  it('an adapter that does not claim the tier', async () => {
    const report = await check(target([process.execPath, adapter.path], [2]), one);
    expect(report).toMatchObject({ is_conformant: false, counts: { fixtures: 1, skipped: 1 } });
  });

  it('a corpus with an invalid fixture file', async () => {
    const corpus = { root: 'here', fixtures: one, sha256: 'x', problems: [{ file: 'b.json', problem: 'none' }] };
    const asking = { tier: 3, surface: null, timeoutMs: 20_000, atOnce: 1 };
    const report = await verify(target([process.execPath, adapter.path]), corpus, asking);
    expect(report).toMatchObject({ is_conformant: false, counts: { fixtures: 1, as_expected: 1 } });
  });

  it('[GX6] a surface without fixtures in the tier: nothing asked is not conformant', async () => {
    const corpus = { root: 'here', fixtures: own, sha256: 'x', problems: [] };
    const asking = { tier: 1, surface: 'coordinator', timeoutMs: 20_000, atOnce: 1 };
    const report = await verify(target([process.execPath, adapter.path]), corpus, asking);
    expect(report).toMatchObject({ is_conformant: false, counts: { fixtures: 0, as_expected: 0, skipped: 0 } });
  });

  it('an empty corpus', async () => {
    expect(await check(target([process.execPath, adapter.path]), [])).toMatchObject({ is_conformant: false });
  });
});

it('[GV19] an answer counts only with its matching exit code', () => {
  for (const [status, code] of Object.entries(EXIT_OF)) {
    expect(understood(JSON.stringify({ status, actual: 1 }), code)).toMatchObject({ kind: 'answered', status });
    expect(understood(JSON.stringify({ status, actual: 1 }), code + 1)).toMatchObject({ kind: 'broken' });
    expect(understood(JSON.stringify({ status, actual: 1 }), null)).toMatchObject({ kind: 'broken' });
  }
});

it('[GV19] identifies a corpus by a digest of paths and contents, and reports invalid fixtures', async () => {
  const corpus = join(folder.path, 'corpus');
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

it('[GV19] a target names itself, its tiers and its command', async () => {
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
  expect(await readTarget(folder.path)).toEqual(expect.any(String));
});

it('[GV18] the project claims its tiers, with a command that works in a clone', async () => {
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
  `[GV18] the public corpus, by an independent verifier${skip ? ' (this machine does not have it)' : ''}`,
  async () => {
    if (publicCorpus === null) throw new Error('PARLEY_REQUIRE asks for the public corpus');
    mkdirSync(join(folder.path, '.agentxchain-conformance'));
    const capabilities = { ...JSON.parse(read('.agentxchain-conformance/capabilities.json')) };
    capabilities.adapter.command = [process.execPath, adapter.path];
    writeFileSync(join(folder.path, '.agentxchain-conformance/capabilities.json'), JSON.stringify(capabilities));
    const args = [join(publicCorpus, 'blind-verify.mjs'), join(publicCorpus, 'fixtures'), folder.path, '--tier', '3'];
    const { code, output } = await run(process.execPath, args);
    const { fixtures, blind_ok, blind_strict_ok, canary_ok } = JSON.parse(output);
    expect([code, blind_ok, blind_strict_ok, canary_ok]).toEqual([0, fixtures, fixtures, fixtures]);
  },
  300_000,
);
