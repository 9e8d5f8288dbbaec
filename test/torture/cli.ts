/** npm run torture: repeated kills, cuts and losses, or a storm of reconnects; prints a report. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtScript } from '../support/built-script.ts';
import { MUTANTS, type Mutant } from './mutants.ts';
import { broken, summary } from './report.ts';
import { storm } from './storm.ts';
import { stormBroken, stormSummary } from './storm-report.ts';
import { torture } from './torture.ts';

const USAGE = `Usage: npm run torture -- [options]

A real hub process and real client processes. The hub and the clients are killed at random moments, connections are cut in
mid-frame, and whole messages are lost, held up and repeated. In the end the clients' own journals are compared.

  --rounds N   how many kills (default 20)
  --seed S     chooses the plan (default: by the clock); the moments are the system's all the same
  --clients K  how many take part (default 9, at least 3)
  --mutant M   break a law on purpose: ${MUTANTS.join(', ')}
  --storm N    instead: N clients lose the hub at once and come back
  --help       print this

Exit codes: 0 every law held, 1 a law was broken, 2 wrong arguments.`;

interface Wanted {
  readonly rounds: number;
  readonly seed: number;
  readonly clients: number;
  readonly storm: number | null;
  readonly mutant: Mutant | undefined;
}

const wanted = readArguments(process.argv.slice(2));
if (wanted === 'help') console.log(USAGE);
else process.exitCode = await run(wanted);

/** Ends the process if they are invalid. */
function readArguments(args: readonly string[]): Wanted | 'help' {
  try {
    const text = { type: 'string' } as const;
    const options = { rounds: text, seed: text, clients: text, storm: text, mutant: text } as const;
    const { values } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h', default: false } },
    });
    if (values.help) return 'help';
    const mutant = MUTANTS.find((one) => one === values.mutant);
    if (values.mutant !== mutant)
      throw new Error(`--mutant: expected one of ${MUTANTS.join(', ')}, got "${values.mutant}"`);
    return {
      rounds: whole('--rounds', values.rounds ?? '20', 1),
      seed: whole('--seed', values.seed ?? String(Date.now() % 1_000_000), 0),
      clients: whole('--clients', values.clients ?? '9', 3),
      storm: values.storm === undefined ? null : whole('--storm', values.storm, 2),
      mutant,
    };
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${USAGE}`);
    process.exit(2);
  }
}

function whole(option: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && Number.isSafeInteger(value)) return value;
  throw new Error(`${option}: expected a whole number, ${least} or more, got "${text}"`);
}

/** Returns the exit code. */
async function run(asked: Wanted): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-torture-'));
  const hub = await builtScript('test/torture/hub-child.ts');
  const members = await builtScript(
    asked.storm === null ? 'test/torture/members-child.ts' : 'test/torture/storm-child.ts',
  );
  try {
    const faults = await played(asked, folder, { hub: hub.path, members: members.path });
    for (const fault of faults) console.error(fault);
    console.log(faults.length === 0 ? 'every law held' : 'A LAW WAS BROKEN');
    return faults.length === 0 ? 0 : 1;
  } finally {
    await Promise.all([hub.remove(), members.remove(), rm(folder, { recursive: true, force: true })]);
  }
}

async function played(
  { storm: stormed, rounds, seed, clients, mutant }: Wanted,
  folder: string,
  scripts: { readonly hub: string; readonly members: string },
): Promise<readonly string[]> {
  const say = (line: string): void => console.log(line);
  if (stormed !== null) {
    const report = await storm({ clients: stormed, folder, scripts, say });
    for (const line of stormSummary(report)) say(line);
    return stormBroken(report);
  }
  say(`torture: rounds ${rounds}, clients ${clients}, seed ${seed}`);
  const report = await torture({ rounds, seed, clients, folder, scripts, mutant, say });
  for (const line of summary(report)) say(line);
  say(`seed ${seed}`);
  return broken(report);
}
