/** Verifies a target against a corpus and counts outcomes; hides the expected values from the target. */

import type { Fixture } from '../fixture.ts';
import { difference } from '../match.ts';
import { ask } from './ask.ts';
import type { Corpus } from './corpus.ts';
import type { Asked } from './request.ts';
import type { Target } from './target.ts';

export interface Asking {
  /** Highest tier to verify. */
  readonly tier: number;
  readonly surface: string | null;
  readonly timeoutMs: number;
  /** Maximum number of fixtures in progress. */
  readonly atOnce: number;
  readonly onProgress?: (done: number, total: number) => void;
}

export type Counts = { readonly [O in Outcome]: number } & { readonly fixtures: number; readonly skipped: number };

export interface Report {
  readonly implementation: string;
  readonly protocol_version: string | null;
  readonly tier_requested: number;
  readonly surface: string | null;
  /** null if the target is remote. */
  readonly target_root: string | null;
  readonly remote: string | null;
  readonly fixture_root: string;
  readonly corpus_sha256: string;
  readonly is_conformant: boolean;
  readonly counts: Counts;
  readonly tiers: Readonly<Record<string, Counts>>;
  readonly surfaces: Readonly<Record<string, Counts>>;
  readonly findings: readonly Finding[];
  readonly problems: Corpus['problems'];
}

export async function verify(target: Target, corpus: Corpus, asking: Asking): Promise<Report> {
  const { tier, surface } = asking;
  const chosen = corpus.fixtures.filter((one) => one.tier <= tier && (surface === null || one.surface === surface));
  const asked = chosen.filter((one) => target.tiers.includes(one.tier));
  const findings = await askAll(target, asked, asking);
  const counts = countsOf(chosen, findings);
  const by = (key: (one: Fixture | Finding) => string): Readonly<Record<string, Counts>> => {
    const within = <T extends Fixture | Finding>(all: readonly T[], group: string) =>
      all.filter((one) => key(one) === group);
    const groups = [...new Set(chosen.map(key))];
    return Object.fromEntries(groups.map((group) => [group, countsOf(within(chosen, group), within(findings, group))]));
  };
  return {
    implementation: target.implementation,
    protocol_version: target.protocolVersion,
    tier_requested: tier,
    surface,
    target_root: target.kind === 'local' ? target.root : null,
    remote: target.kind === 'remote' ? target.url : null,
    fixture_root: corpus.root,
    corpus_sha256: corpus.sha256,
    // Skipped fixtures count as not conformant.
    is_conformant: counts.fixtures > 0 && counts.as_expected === counts.fixtures && corpus.problems.length === 0,
    counts,
    tiers: by((one) => `tier_${one.tier}`),
    surfaces: by((one) => one.surface),
    findings: findings.filter(({ outcome }) => outcome !== 'as_expected'),
    problems: corpus.problems,
  };
}

async function askAll(target: Target, fixtures: readonly Fixture[], asking: Asking): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const waiting = fixtures.entries();
  let done = 0;
  const work = async (most: number): Promise<void> => {
    for (let n = 0; n < most; n++) {
      const { value } = waiting.next();
      if (value === undefined) return;
      const [at, fixture] = value;
      findings[at] = judge(fixture, await ask(target, blind(fixture), asking.timeoutMs));
      asking.onProgress?.(++done, fixtures.length);
    }
  };
  // Run the first fixture alone: the target may have to build itself.
  await work(1);
  await Promise.all(Array.from({ length: asking.atOnce }, () => work(fixtures.length)));
  return findings;
}

function countsOf(chosen: readonly unknown[], findings: readonly Finding[]): Counts {
  const of = (outcome: Outcome): number => findings.filter((one) => one.outcome === outcome).length;
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, of(outcome)])) as {
    readonly [O in Outcome]: number;
  };
  return { fixtures: chosen.length, ...counts, skipped: chosen.length - findings.length };
}

const OUTCOMES = ['as_expected', 'different', 'lied', 'error', 'timed_out', 'not_implemented'] as const;
type Outcome = (typeof OUTCOMES)[number];

export interface Finding {
  readonly fixture_id: string;
  readonly tier: number;
  readonly surface: string;
  readonly outcome: Outcome;
  /** True if only the strict comparison finds a difference. */
  readonly is_only_strict: boolean;
  readonly detail: string | null;
}

/** Expected value that no answer can match: a target that answers `pass` did not compare. */
const CANARY = { result: '__withheld__' };

function blind(fixture: Fixture): Fixture {
  return { ...fixture, expected: CANARY };
}

function judge({ fixture_id, tier, surface, expected }: Fixture, asked: Asked): Finding {
  const finding = (outcome: Outcome, detail: string | null = null, is_only_strict = false): Finding => {
    return { fixture_id, tier, surface, outcome, is_only_strict, detail };
  };
  if (asked.kind === 'timed_out') return finding('timed_out', asked.message);
  if (asked.kind === 'broken') return finding('error', asked.message);
  if (asked.status === 'not_implemented') return finding('not_implemented', asked.message);
  if (asked.status === 'pass') return finding('lied', 'it says "pass" to something that cannot be');
  if (asked.status === 'error') return finding('error', asked.message);
  const place = difference(expected, asked.actual, true);
  if (place === null) return finding('as_expected');
  return finding('different', `at ${place}`, difference(expected, asked.actual, false) === null);
}
