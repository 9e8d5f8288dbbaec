/** The five stages, in their order, up to the first that finds something. */

import type { GovernedConfig } from '../config/config.ts';
import {
  ERROR_CLASSES,
  type Fault,
  type Normalisation,
  STAGES,
  type Stage,
  type StageReport,
} from '../lib/findings.ts';
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
  /** As it came from outside. */
  readonly result: unknown;
  /** For which turn it has to be; absent = for whichever active turn it names. */
  readonly turnId?: string;
  readonly takenIds?: ReadonlySet<string>;
  readonly hasEarlierWork?: boolean;
}

export type Validation = Valid | Invalid;

export interface Valid {
  readonly ok: true;
  readonly result: TurnResult;
  readonly turn: Turn;
  readonly stages_passed: readonly Stage[];
  readonly warnings: readonly string[];
  readonly normalisations: readonly Normalisation[];
}

export interface Invalid {
  readonly ok: false;
  readonly failed_stage: Stage;
  readonly error_class: string;
  readonly error_type: string;
  readonly fault: Fault;
  readonly stages_passed: readonly Stage[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly normalisations: readonly Normalisation[];
}

export function validateTurnResult(given: ValidateInput): Validation {
  const { state, config, hasEarlierWork = false, takenIds = new Set<string>() } = given;
  const turn = turnOf(given);
  const { result: judged, normalisations } = normaliseResult(given.result, { state, config, turn, takenIds });
  // The first stage proves what the others take for granted.
  const result = judged as TurnResult;
  const { phase } = state;
  // Nor does any stage behind the second run without a turn.
  const out = turn as Turn;
  const stages: { readonly [S in Stage]: () => StageReport } = {
    schema: () => schemaStage(judged),
    assignment: () => assignmentStage(result, { state, config, turn }),
    artifact: () => artifactStage(result, { config, turn: out, phase, hasEarlierWork }),
    verification: () => verificationStage(result),
    protocol: () => protocolStage(result, { config, turn: out, phase }),
  };
  const passed: Stage[] = [];
  const warnings: string[] = [];
  for (const stage of STAGES) {
    const report = stages[stage]();
    warnings.push(...report.warnings);
    const [fault] = report.faults;
    if (fault !== undefined) {
      const errors = report.faults.map(({ detail }) => detail);
      const error_class = ERROR_CLASSES[stage];
      const error_type = fault.error_type ?? error_class;
      return {
        ok: false,
        failed_stage: stage,
        error_class,
        error_type,
        fault,
        stages_passed: passed,
        errors,
        warnings,
        normalisations,
      };
    }
    passed.push(stage);
  }
  return { ok: true, result, turn: out, stages_passed: passed, warnings, normalisations };
}

function turnOf({ state, result, turnId }: ValidateInput): Turn | null {
  const named = isRecord(result) && typeof result.turn_id === 'string' ? result.turn_id : null;
  const id = turnId ?? named;
  return id === null ? null : (getOwn(state.active_turns, id) ?? null);
}
