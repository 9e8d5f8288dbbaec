/** A target against a corpus: counts, not a word. */

import type { Fixture } from '../fixture.ts';
import { ask } from '../../../node/conformance/verifier/ask.ts';
import type { Corpus } from './corpus.ts';
import { blind, type Finding, judge, OUTCOMES, type Outcome } from '../../../node/conformance/verifier/judge.ts';
import type { Target } from './target.ts';

export interface Asking {
  /** Up to and with this tier. */
  readonly tier: number;
  readonly surface: string | null;
  readonly timeoutMs: number;
  /** How many fixtures the target is given at once. */
  readonly atOnce: number;
  readonly onProgress?: (done: number, total: number) => void;
}

export type Counts = { readonly [O in Outcome]: number } & { readonly fixtures: number; readonly skipped: number };

export interface Report {
  readonly implementation: string;
  readonly protocol_version: string | null;
  readonly tier_requested: number;
  readonly surface: string | null;
  /** Its folder; null = it is remote. */
  readonly target_root: string | null;
  readonly remote: string | null;
  readonly fixture_root: string;
  readonly corpus_sha256: string;
  readonly is_conformant: boolean;
  readonly counts: Counts;
  readonly tiers: Readonly<Record<string, Counts>>;
  readonly surfaces: Readonly<Record<string, Counts>>;
  /** Whatever is not as expected. */
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
    const groups = [...new Set(chosen.map(key))];
    return Object.fromEntries(
      groups.map((group) => [
        group,
        countsOf(
          chosen.filter((one) => key(one) === group),
          findings.filter((one) => key(one) === group),
        ),
      ]),
    );
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
    // Nothing that was not asked is conformant.
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
  // The first alone: a target may have to build itself, which is not done twice at once.
  await work(1);
  await Promise.all(Array.from({ length: asking.atOnce }, () => work(fixtures.length)));
  return findings;
}

function countsOf(chosen: readonly unknown[], findings: readonly Finding[]): Counts {
  const of = (outcome: Outcome): number => findings.filter((one) => one.outcome === outcome).length;
  // One count for each outcome there is.
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, of(outcome)])) as {
    readonly [O in Outcome]: number;
  };
  return { fixtures: chosen.length, ...counts, skipped: chosen.length - findings.length };
}
