/** May the run leave its phase, or end? Asked of the config, the files and what the turn says of its verification. Changes nothing. */

import type { GateConfig, GovernedConfig } from '../config/config.ts';
import { exitGate, finalPhase, nextPhase, phasesOf } from '../../config/phases.ts';
import { failedPredicates } from '../../gates/predicates.ts';
import { type CompletionVerdict, type PhaseVerdict, type ReadFiles, type Reason, reason } from '../../gates/verdict.ts';

export interface GateFacts {
  readonly config: GovernedConfig;
  /** Where the run stands. */
  readonly phase: string | null;
  readonly files: ReadFiles;
  /** `pass`, `attested_pass`, or anything else. */
  readonly verificationStatus: string | null;
  /** Roles that had a turn accepted in this phase; absent = nobody knows of any. */
  readonly rolesHeard?: ReadonlySet<string>;
}

export function evaluatePhaseExit(facts: GateFacts, requested: string | null): PhaseVerdict {
  const { config, phase } = facts;
  if (requested === null) return { action: 'no_request' };
  if (!phasesOf(config).includes(requested)) return { action: 'gate_error', code: 'unknown_phase', requested };
  const next = nextPhase(config, phase);
  const gate = exitGate(config, phase);
  const id = gate?.id ?? null;
  if (next === null) return { action: 'gate_failed', gate: id, reasons: [reason('no_next_phase', { phase })] };
  if (next !== requested) {
    return { action: 'gate_failed', gate: id, reasons: [reason('phase_not_next', { phase, requested, next })] };
  }
  const { failed, human } = judged(gate, facts);
  if (failed !== null) return { action: 'gate_failed', gate: id, reasons: failed };
  if (human === null) return { action: 'advance', gate: id, from: phase, to: requested };
  return { action: 'awaiting_human_approval', ...human, from: phase, to: requested };
}

export function evaluateRunCompletion(facts: GateFacts, isRequested: boolean): CompletionVerdict {
  const { config, phase } = facts;
  if (!isRequested) return { action: 'no_request' };
  const final = finalPhase(config);
  if (phase !== final) return { action: 'not_final_phase', reasons: [reason('not_final_phase', { phase, final })] };
  const gate = exitGate(config, phase);
  const { failed, human } = judged(gate, facts);
  if (failed !== null) return { action: 'gate_failed', gate: gate?.id ?? null, reasons: failed };
  if (human === null) return { action: 'complete', gate: gate?.id ?? null };
  return { action: 'awaiting_human_approval', ...human, phase };
}

interface Judged {
  readonly failed: readonly [Reason, ...Reason[]] | null;
  readonly human: { readonly gate: string; readonly isCredentialed: boolean } | null;
}

/** Predicates come before the question to a person: nobody is asked to approve what is not there. */
function judged(exit: { readonly id: string; readonly gate: GateConfig | null } | null, facts: GateFacts): Judged {
  if (exit === null) return { failed: null, human: null };
  const { id, gate } = exit;
  if (gate === null) return { failed: [reason('gate_not_declared', { gate: id })], human: null };
  const [first, ...others] = failedPredicates(gate, facts);
  if (first !== undefined) return { failed: [first, ...others], human: null };
  const isCredentialed = gate.credentialed === true;
  const asks = gate.requires_human_approval === true || isCredentialed;
  return { failed: null, human: asks ? { gate: id, isCredentialed } : null };
}
