/** Judges a turn result in five stages; stops at the first stage that finds a fault. */

import type { GovernedConfig } from '../config/config.ts';
import { type Fault, type Normalisation, STAGES, type Stage, type StageReport } from '../lib/findings.ts';
import { getOwn, isRecord } from '../lib/unknown-record.ts';
import type { RunState, Turn } from '../state/state.ts';
import { artifactStage, verificationStage } from './artifact.ts';
import { normaliseResult } from './normalise.ts';
import { assignmentStage, protocolStage } from './protocol.ts';
import type { TurnResult } from './result.ts';
import { schemaStage } from './schema.ts';

export interface ValidateInput {
  readonly state: RunState;
  readonly config: GovernedConfig;
  readonly result: unknown;
  /** Default: the active turn that the result names. */
  readonly turnId?: string;
  readonly takenIds?: ReadonlySet<string>;
  readonly hasEarlierWork?: boolean;
}

export type Validation = Valid | Invalid;

interface Judged {
  readonly stages_passed: readonly Stage[];
  readonly warnings: readonly string[];
  readonly normalisations: readonly Normalisation[];
}

export interface Valid extends Judged {
  readonly ok: true;
  readonly result: TurnResult;
  readonly turn: Turn;
}

export interface Invalid extends Judged {
  readonly ok: false;
  readonly failed_stage: Stage;
  readonly error_class: string;
  readonly error_type: string;
  readonly fault: Fault;
  readonly errors: readonly string[];
}

export function validateTurnResult(given: ValidateInput): Validation {
  const { state, config, hasEarlierWork = false, takenIds = new Set<string>() } = given;
  const turn = turnOf(given);
  const { result: normalised, normalisations } = normaliseResult(given.result, { state, config, turn, takenIds });
  // Later stages run only after the schema stage has proved this type.
  const result = normalised as TurnResult;
  const { phase } = state;
  // Stages after the second run only if the turn exists.
  const out = turn as Turn;
  const stages: { readonly [S in Stage]: () => StageReport } = {
    schema: () => schemaStage(normalised),
    assignment: () => assignmentStage(result, { state, config, turn }),
    artifact: () => artifactStage(result, { config, turn: out, phase, hasEarlierWork }),
    verification: () => verificationStage(result),
    protocol: () => protocolStage(result, { config, turn: out, phase }),
  };
  const stages_passed: Stage[] = [];
  const warnings: string[] = [];
  const judged = { stages_passed, warnings, normalisations };
  for (const stage of STAGES) {
    const report = stages[stage]();
    warnings.push(...report.warnings);
    const [fault] = report.faults;
    if (fault !== undefined) {
      const error_class = `${stage}_error`;
      const error_type = fault.error_type ?? error_class;
      const errors = report.faults.map(({ detail }) => detail);
      return { ok: false, failed_stage: stage, error_class, error_type, fault, errors, ...judged };
    }
    stages_passed.push(stage);
  }
  return { ok: true, result, turn: out, ...judged };
}

function turnOf({ state, result, turnId }: ValidateInput): Turn | null {
  const named = isRecord(result) && typeof result.turn_id === 'string' ? result.turn_id : null;
  const id = turnId ?? named;
  return id === null ? null : (getOwn(state.active_turns, id) ?? null);
}
