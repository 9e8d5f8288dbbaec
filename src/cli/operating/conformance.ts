/** `parley conformance`. */

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
  summary: 'Check an implementation of governed runs against a folder of fixtures.',
  details:
    'Each fixture is given to the adapter of the target without what is expected, and compared here, strictly. An adapter that says "pass" to what cannot be is counted as lying, and a tier it does not claim as skipped. The target is a folder, whose command is run, or an address. Exit code 8 says that not every fixture is as expected.',
  args: [{ name: 'action', help: 'check.', values: ['check'] }],
  options: [
    { name: 'tier', value: 'n', help: 'Up to and with this tier; without it, 1.', values: ['1', '2', '3'] },
    { name: 'surface', value: 'name', help: 'Only this surface, such as state_machine.' },
    {
      name: 'target',
      value: 'folder',
      help: 'The implementation: a folder with .agentxchain-conformance/capabilities.json in it. Without it, this folder.',
      values: 'folder',
    },
    {
      name: 'remote',
      value: 'url',
      help: 'An implementation that is asked over HTTP (http-fixture-v1) instead: the address before /conform/.',
    },
    {
      name: 'token',
      value: 'token',
      help: 'The token of --remote (PARLEY_CONFORMANCE_TOKEN is safer: it is not shown to who lists processes).',
    },
    {
      name: 'fixtures',
      value: 'folder',
      help: 'The fixtures. Without it, .agentxchain-conformance/fixtures of the target, or else those of this project.',
      values: 'folder',
    },
    {
      name: 'timeout',
      value: 'ms',
      help: 'How long a fixture may take, with all of its answer, in milliseconds; without it, 30000.',
    },
    { name: 'format', value: 'format', help: 'text, or json as with --json.', values: ['text', 'json'] },
  ],
  examples: [
    'parley conformance check',
    'parley conformance check --tier 1 --surface gate_semantics --target ../runner',
    'parley conformance check --tier 3 --remote http://127.0.0.1:4747',
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
    const hint = 'Without "--surface" everything of the tiers it claims is asked for.';
    const message = `--surface: ${target.implementation} does not claim ${surface}`;
    throw usageError('unclaimed_surface', message, hint);
  }
  const progress = io.progress('checking');
  return verify(target, corpus, {
    tier: Number(values.tier ?? 1),
    surface,
    timeoutMs,
    // Who is asked over HTTP may keep something between requests: one after the other.
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
  const hint = '"--target" names the folder of an implementation.';
  throw usageError('wrong_target', `${join(root, CAPABILITIES)}: ${target}`, hint);
}

async function remoteTarget(value: string, token: string | null, timeoutMs: number): Promise<Target> {
  const { readRemote, remoteUrl } = await import('../../governed/conformance/verifier/target.ts');
  const url = remoteUrl(value);
  // It may hold a secret: it is not shown.
  if (url === null) throw usageError('wrong_value', `--remote: expected ${ADDRESS}`, '');
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) {
    throw usageError('wrong_value', '--token: expected visible characters of ASCII, without spaces', '');
  }
  const target = await readRemote(url, token, timeoutMs);
  if (target.kind === 'remote') return target;
  const { exit, code, hint } = UNUSABLE[target.why];
  throw new CommandError(exit, code, `${url}/conform/capabilities: ${target.message}`, hint);
}

const ADDRESS = 'an address such as http://127.0.0.1:4747, with nothing behind its path and no name or password in it';

const UNUSABLE = {
  unreachable: { exit: 'unreachable', code: 'unavailable', hint: 'Is it running? "parley up --conformance" is one.' },
  not_allowed: { exit: 'notAllowed', code: 'unauthenticated', hint: 'Its token: "--token", PARLEY_CONFORMANCE_TOKEN.' },
  wrong: {
    exit: 'wrong',
    code: 'wrong_target',
    hint: '"--remote" names an implementation that speaks http-fixture-v1.',
  },
} as const;

function excluded(message: string): CommandError {
  const hint = 'A target is a folder, or an address that may take a token.';
  return usageError('wrong_option', message, hint);
}

/** The package's own are in its repository only. */
async function corpusOf(named: string | undefined, root: string): Promise<Corpus> {
  const { readCorpus } = await import('../../governed/conformance/verifier/corpus.ts');
  const own = [join(root, '.agentxchain-conformance/fixtures'), ...upTo('test/conformance/fixtures')];
  const folder = named === undefined ? own.find((path) => existsSync(path)) : resolve(named);
  if (folder === undefined || !existsSync(folder)) {
    const hint = '"--fixtures" names a folder of fixtures.';
    throw notFoundError('no_fixtures', folder === undefined ? 'there are no fixtures' : `${folder} is not there`, hint);
  }
  return readCorpus(folder);
}

/** From the sources and from what is built of them. */
function upTo(path: string): readonly string[] {
  return ['../../../', '../../../../'].map((up) => fileURLToPath(new URL(`${up}${path}`, import.meta.url)));
}

function sayReport(report: Report, io: Io): void {
  io.say(`${printable(report.implementation)}, up to tier ${report.tier_requested}: ${inWords(report.counts)}`);
  for (const [surface, counts] of Object.entries(report.surfaces))
    io.say(`  ${printable(surface)}: ${inWords(counts)}`);
  for (const finding of report.findings) io.say(`  ${sayFinding(finding)}`);
  for (const { file, problem } of report.problems) io.say(`  ${printable(`${file} is no fixture: ${problem}`)}`);
  io.say(`fixtures sha-256 ${report.corpus_sha256}`);
}

function inWords({ fixtures, as_expected, ...counts }: Counts): string {
  const rest = Object.entries(counts).filter(([, count]) => count > 0);
  const others = rest.map(([name, count]) => `, ${count} ${name.replaceAll('_', ' ')}`).join('');
  return `${as_expected} of ${fixtures} as expected${others}`;
}

function sayFinding({ fixture_id, outcome, detail }: Finding): string {
  return printable(`${fixture_id} ${outcome.replaceAll('_', ' ')}${detail === null ? '' : `: ${detail}`}`);
}
