/** `parley conformance`: checks an implementation of governed runs against fixtures. */

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Corpus } from '../../governed/conformance/verifier/corpus.ts';
import type { Target } from '../../governed/conformance/verifier/target.ts';
import type { Counts, Finding, Report } from '../../governed/conformance/verifier/verify.ts';
import type { Command, CommandArgs } from '../terminal/command.ts';
import { CommandError, invalidValueError, notFoundError, usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { printable, printableJson } from '../terminal/printable.ts';

export const conformance: Command = {
  name: 'conformance',
  summary: 'Check an implementation of governed runs against fixtures',
  details:
    "Sends each fixture, minus its expected result, to the target's conformance adapter, and compares the answers strictly. An adapter that passes an impossible fixture is reported as lying; unclaimed tiers are skipped. Exits with 8 if a fixture fails.",
  args: [{ name: 'action', help: 'check', values: ['check'] }],
  options: [
    { name: 'tier', value: 'n', help: 'Highest tier to check: 1, 2 or 3 (default: 1)', values: ['1', '2', '3'] },
    { name: 'surface', value: 'name', help: 'Only this surface, such as state_machine' },
    {
      name: 'target',
      value: 'folder',
      help: 'Folder with .agentxchain-conformance/capabilities.json (default: this folder)',
      values: 'folder',
    },
    { name: 'remote', value: 'url', help: 'URL of an HTTP target (http-fixture-v1), up to /conform/' },
    {
      name: 'token',
      value: 'token',
      help: 'Token of --remote; prefer the variable, because other users can see arguments [env: PARLEY_CONFORMANCE_TOKEN]',
    },
    {
      name: 'fixtures',
      value: 'folder',
      help: "Folder of fixtures (default: the target's .agentxchain-conformance/fixtures, else this project's)",
      values: 'folder',
    },
    { name: 'timeout', value: 'ms', help: 'Time limit of a fixture in milliseconds (default: 30000)' },
    { name: 'format', value: 'format', help: 'text, or json as with --json (default: text)', values: ['text', 'json'] },
  ],
  examples: [
    ['Check this folder', 'parley conformance check'],
    [
      'Check one surface of another implementation',
      'parley conformance check --tier 1 --surface gate_semantics --target ../runner',
    ],
    ['Check an implementation over HTTP', 'parley conformance check --tier 3 --remote http://127.0.0.1:4747'],
  ],
  json: '{"implementation", "is_conformant", "counts", "tiers", "surfaces", "findings", "corpus_sha256", …}.',
  async run(args, io) {
    const { values } = args;
    const timeoutMs = Number(values.timeout ?? 30_000);
    if (!(Number.isInteger(timeoutMs) && timeoutMs > 0)) {
      throw invalidValueError('--timeout', 'a whole number of milliseconds from 1', values.timeout ?? '');
    }
    const report = await checked(args, io, timeoutMs);
    io.put(report);
    if (values.format === 'json') io.say(printableJson(report));
    else sayReport(report, io);
    return report.is_conformant ? EXIT.done : EXIT.found;
  },
};

async function checked(args: CommandArgs, io: Io, timeoutMs: number): Promise<Report> {
  const { values } = args;
  const target = await targetOf(args, io, timeoutMs);
  const { claims } = await import('../../governed/conformance/verifier/target.ts');
  const { verify } = await import('../../governed/conformance/verifier/verify.ts');
  const corpus = await corpusOf(values.fixtures, resolve(values.target ?? '.'));
  const surface = values.surface ?? null;
  const surfaces = [...new Set(corpus.fixtures.map((one) => one.surface))];
  if (surface !== null && !surfaces.includes(surface)) {
    throw invalidValueError('--surface', `one of ${surfaces.join(', ')}`, surface);
  }
  if (surface !== null && !claims(target, surface)) {
    const hint = 'Omit "--surface" to check all claimed surfaces.';
    const message = `--surface: ${target.implementation} does not claim ${surface}`;
    throw usageError('unclaimed_surface', message, hint);
  }
  const progress = io.progress('checking');
  return verify(target, corpus, {
    tier: Number(values.tier ?? 1),
    surface,
    timeoutMs,
    // A remote target may keep state between requests: run one at a time.
    atOnce: target.kind === 'remote' ? 1 : Math.min(4, availableParallelism()),
    onProgress: (bytes, of) => progress({ bytes, of }),
  });
}

async function targetOf({ values }: CommandArgs, { env }: Io, timeoutMs: number): Promise<Target> {
  const { remote, token } = values;
  if (remote !== undefined && values.target !== undefined) throw excluded('--target and --remote exclude each other');
  if (remote === undefined && token !== undefined) throw excluded('--token: expected --remote with it');
  return remote === undefined
    ? localTarget(resolve(values.target ?? '.'))
    : remoteTarget(remote, token ?? (env.PARLEY_CONFORMANCE_TOKEN || null), timeoutMs);
}

async function localTarget(root: string): Promise<Target> {
  const { CAPABILITIES, readTarget } = await import('../../governed/conformance/verifier/target.ts');
  const target = await readTarget(root);
  if (typeof target !== 'string') return target;
  const hint = 'Pass the folder of an implementation with "--target".';
  throw usageError('wrong_target', `${join(root, CAPABILITIES)}: ${target}`, hint);
}

async function remoteTarget(value: string, token: string | null, timeoutMs: number): Promise<Target> {
  const { readRemote, remoteUrl } = await import('../../governed/conformance/verifier/target.ts');
  const url = remoteUrl(value);
  // Do not show the value: it may contain a secret.
  if (url === null) throw usageError('wrong_value', `--remote: expected ${ADDRESS}`, '');
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) {
    throw usageError('wrong_value', '--token: expected visible ASCII characters without spaces', '');
  }
  const target = await readRemote(url, token, timeoutMs);
  if (target.kind === 'remote') return target;
  const { exit, code, hint } = UNUSABLE[target.why];
  throw new CommandError(exit, code, `${url}/conform/capabilities: ${target.message}`, hint);
}

const ADDRESS = 'a URL such as http://127.0.0.1:4747, without query, name or password';

const UNUSABLE = {
  unreachable: {
    exit: 'unreachable',
    code: 'unavailable',
    hint: 'Is it running? "parley up --conformance" starts one.',
  },
  not_allowed: {
    exit: 'notAllowed',
    code: 'unauthenticated',
    hint: 'Pass its token: "--token", PARLEY_CONFORMANCE_TOKEN.',
  },
  wrong: { exit: 'wrong', code: 'wrong_target', hint: 'Pass the URL of a target that supports http-fixture-v1.' },
} as const;

function excluded(message: string): CommandError {
  return usageError('wrong_option', message, 'A target is a folder, or an address with an optional token.');
}

/** The package's own fixtures exist only in its repository. */
async function corpusOf(named: string | undefined, root: string): Promise<Corpus> {
  const { readCorpus } = await import('../../governed/conformance/verifier/corpus.ts');
  const own = [join(root, '.agentxchain-conformance/fixtures'), ...inPackage('test/conformance/fixtures')];
  const folder = named === undefined ? own.find((path) => existsSync(path)) : resolve(named);
  if (folder === undefined || !existsSync(folder)) {
    const problem = folder === undefined ? 'no fixtures found' : `${folder} does not exist`;
    throw notFoundError('no_fixtures', problem, 'Pass a folder of fixtures with "--fixtures".');
  }
  return readCorpus(folder);
}

/** The path relative to the sources, and to the build. */
function inPackage(path: string): readonly string[] {
  return ['../../../', '../../../../'].map((up) => fileURLToPath(new URL(`${up}${path}`, import.meta.url)));
}

function sayReport(report: Report, io: Io): void {
  io.say(`${printable(report.implementation)}, up to tier ${report.tier_requested}: ${countsText(report.counts)}`);
  for (const [surface, counts] of Object.entries(report.surfaces))
    io.say(`  ${printable(surface)}: ${countsText(counts)}`);
  for (const finding of report.findings) io.say(`  ${findingText(finding)}`);
  for (const { file, problem } of report.problems) io.say(`  ${printable(`${file} is not a fixture: ${problem}`)}`);
  io.say(`fixtures sha-256 ${report.corpus_sha256}`);
}

function countsText({ fixtures, as_expected, ...counts }: Counts): string {
  const rest = Object.entries(counts).filter(([, count]) => count > 0);
  const others = rest.map(([name, count]) => `, ${count} ${name.replaceAll('_', ' ')}`).join('');
  return `${as_expected} of ${fixtures} as expected${others}`;
}

function findingText({ fixture_id, outcome, detail }: Finding): string {
  return printable(`${fixture_id} ${outcome.replaceAll('_', ' ')}${detail === null ? '' : `: ${detail}`}`);
}
