// Gates say why in codes; one file says it in words; and asking changes nothing.

import fc from 'fast-check';
import {
  applyPhaseVerdict,
  describeReason,
  digestOf,
  evaluatePhaseExit,
  evaluateRunCompletion,
} from 'parley-hub/governed/engine';
import { expect, it } from 'vitest';
import { read, sources } from '../../package/repository.ts';
import { CONFIG, frozen, Lighthouse } from './lighthouse.ts';

const FILES = ['.planning/PM_SIGNOFF.md', '.planning/SYSTEM_SPEC.md', '.planning/acceptance-matrix.md', 'docs/lamp.md'];
const text = fc.constantFrom(
  null,
  '',
  'Approved: YES',
  '## Purpose\n(x)',
  '| Req # | S |\n|-|-|\n| 1 | ok |',
  '## Verdict: YES',
);

it('[GV7] evaluating a gate changes nothing, and no gate opens while a reason remains', () => {
  const { state } = Lighthouse.at('drafting');
  fc.assert(
    fc.property(
      fc.subarray(FILES),
      fc.dictionary(fc.constantFrom(...FILES), text),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom('pass', 'fail', null),
      (requires_files, tree, requires_verification_pass, requires_human_approval, verificationStatus) => {
        const gates = { door: { requires_files, requires_verification_pass, requires_human_approval } };
        const config = frozen({ ...CONFIG, gates, routing: { drafting: { exit_gate: 'door' }, checking: {} } });
        const files = (path: string): string | null => tree[path] ?? null;
        const verdict = evaluatePhaseExit({ config, phase: 'drafting', files, verificationStatus }, 'checking');
        const absent = requires_files.some((path) => files(path) === null);
        const unproven = requires_verification_pass && verificationStatus !== 'pass';
        if (absent || unproven) expect(verdict.action).toBe('gate_failed');
        if (verdict.action === 'gate_failed')
          for (const reason of verdict.reasons) expect(describeReason(reason)).not.toMatch(/undefined|object/);
        else expect(verdict.action).toBe(requires_human_approval ? 'awaiting_human_approval' : 'advance');
        const after = applyPhaseVerdict(state, verdict, { now: '2026-05-01T08:00:00.000Z', by: null }).state;
        expect(after.phase).toBe(verdict.action === 'advance' ? 'checking' : 'drafting');
      },
    ),
    { numRuns: 1000 },
  );
  expect(digestOf(state)).toBe(digestOf(Lighthouse.at('drafting').state));
});

it('[GV7] lists every reason, the most severe first', () => {
  const config = {
    ...CONFIG,
    gates: { ship: { requires_files: ['a.md', '.planning/ship-verdict.md'], requires_verification_pass: true } },
  };
  const files = (path: string): string | null => (path === 'a.md' ? null : '## Verdict: NO');
  const verdict = evaluateRunCompletion({ config, phase: 'checking', files, verificationStatus: 'fail' }, true);
  expect(verdict).toMatchObject({
    reasons: [
      { code: 'files_missing', params: { paths: ['a.md'] } },
      { code: 'verification_not_passed', params: { status: 'fail' } },
      { code: 'verdict_not_affirmative', params: { value: 'NO' } },
    ],
  });
});

it('[GV7] the verdict says when a gate requires a credential', () => {
  const config = { ...CONFIG, gates: { ship: { credentialed: true } } };
  const facts = { config, phase: 'checking', files: () => null, verificationStatus: null };
  expect(evaluateRunCompletion(facts, true)).toMatchObject({ action: 'awaiting_human_approval', isCredentialed: true });
});

it('[GV7] the sentences of gates are in one file', () => {
  const others = [...sources('src/governed/engine'), ...sources('src/governed/session')].filter(
    (file) => file !== 'src/governed/engine/gates/verdict.ts',
  );
  for (const file of others) expect(read(file)).not.toMatch(/signoff is not|predicate failed|placeholder text\. /);
});

it('[GV5] synonyms appear in one file only', () => {
  // An assignment is written in both forms.
  const known = /turn-result\/normalise\.ts$|config\/check\.ts$|dispatch\/assignment\.ts$/;
  const others = [...sources('src/governed/engine'), ...sources('src/governed/session')].filter(
    (file) => !known.test(file),
  );
  for (const file of others) expect(read(file)).not.toMatch(/\bhuman_reason\b|adapter_config/);
});
