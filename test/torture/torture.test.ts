// Short forms of `npm run torture`: a few kills with losses, and a storm of some hundred clients.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltScript, builtScript } from '../support/built-script.ts';
import { runs } from '../support/size.ts';
import { broken, summary } from './report.ts';
import { storm } from './storm.ts';
import { stormBroken, stormSummary } from './storm-report.ts';
import { torture } from './torture.ts';

const ROUNDS = runs(4, 2);
const CLIENTS = runs(6, 4);
const STORM = runs(300, 60);
/** A failing run prints its seed, but the moments of kills depend on the system. */
const SEED = Number(process.env.PARLEY_TORTURE_SEED ?? Date.now() % 1_000_000);
/** A busy machine takes longer. */
const TIMEOUT_MS = 300_000;

let root: string;
const built: BuiltScript[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'parley-torture-'));
  for (const name of ['hub-child', 'members-child', 'storm-child']) {
    built.push(await builtScript(`test/torture/${name}.ts`));
  }
}, TIMEOUT_MS);

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
  for (const script of built) await script.remove();
});

function scripts(members: number): { readonly hub: string; readonly members: string } {
  return { hub: built[0]?.path ?? '', members: built[members]?.path ?? '' };
}

it(
  `[BP5, L1, L2, L5] loses, doubles and reorders nothing answered over ${ROUNDS} kills with cuts, losses and repeats, and delivers every close`,
  async () => {
    const folder = await mkdtemp(join(root, 'run-'));
    const report = await torture({ rounds: ROUNDS, clients: CLIENTS, seed: SEED, folder, scripts: scripts(1) });
    console.log([`torture: rounds ${ROUNDS}, clients ${CLIENTS}, seed ${SEED}`, ...summary(report)].join('\n'));
    expect(broken(report), `seed ${SEED}`).toEqual([]);
    expect(report.hubKills + report.clientKills).toBe(ROUNDS);
    expect(Math.min(report.hubKills, report.clientKills)).toBeGreaterThan(0);
    const { sessions, acked, received } = report.verdict;
    expect(Math.min(sessions, acked, received)).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

it(
  `[BP4, L8] loses nothing when ${STORM} clients lose their sockets and then the hub, and the hub stays small`,
  async () => {
    const folder = await mkdtemp(join(root, 'storm-'));
    const report = await storm({ clients: STORM, folder, scripts: scripts(2) });
    console.log(stormSummary(report).join('\n'));
    expect(stormBroken(report)).toEqual([]);
    expect([report.cut, report.count.heard]).toEqual([STORM, 2 * 3 * STORM]);
  },
  TIMEOUT_MS,
);
