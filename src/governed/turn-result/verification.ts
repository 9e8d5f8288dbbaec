/** Stage 4: does what was run bear out what is claimed? */

import type { Fault, StageReport } from './fault.ts';
import type { MachineEvidence, TurnResult } from '../engine/turn-result/result.ts';

export function verificationStage({ verification }: TurnResult): StageReport {
  if (verification.status !== 'pass') return { faults: [], warnings: [] };
  const evidence = verification.machine_evidence ?? [];
  const faults = evidence.flatMap((one, at): readonly Fault[] => {
    if (isAsExpected(one)) return [];
    const error_field = `verification.machine_evidence[${at}].exit_code`;
    const expected = one.expected_exit_code ?? 0;
    return [
      { error_field, detail: `"${one.command}" ended with ${one.exit_code}, not ${expected}, and a pass is claimed` },
    ];
  });
  const isBare = evidence.length === 0 && (verification.commands ?? []).length === 0 && !verification.evidence_summary;
  return { faults, warnings: isBare ? ['verification: a pass without any evidence'] : [] };
}

export function isAsExpected({ exit_code, expected_exit_code }: MachineEvidence): boolean {
  return exit_code === (expected_exit_code ?? 0);
}

/** What is left of a claimed pass when somebody asks for proof. */
export function normalisedVerification({ verification }: TurnResult, runtimeType: string): string {
  if (verification.status !== 'pass') return verification.status;
  if (runtimeType === 'manual' || runtimeType === 'api_proxy') return 'attested_pass';
  const evidence = verification.machine_evidence ?? [];
  return evidence.length > 0 && evidence.every(({ exit_code }) => exit_code === 0) ? 'pass' : 'not_reproducible';
}
