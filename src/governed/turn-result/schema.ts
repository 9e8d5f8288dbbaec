/** Stage 1: is it a turn result at all? */

import { HUMAN, isTemplate, matches, ROLE_ID } from '../engine/lib/patterns.ts';
import { isFilled, isMissing, isOneOf, isRecord, isTextOrNothing, type Unknowns } from '../engine/lib/unknown-record.ts';
import { type Fault, missing, NOTHING_FOUND, type StageReport, unlike } from './fault.ts';
import { REQUIRED_FIELDS, RESULT_STATUSES, RESULT_VERSION } from '../engine/turn-result/result.ts';
import { decisionFaults } from './schema-decisions.ts';
import { delegationFaults } from './schema-delegations.ts';
import { objectionFaults } from './schema-objections.ts';
import { unfilled } from './schema-parts.ts';
import { artifactFaults, costFaults, fileFaults, proposedChangeFaults, verificationFaults } from '../engine/turn-result/schema-work.ts';

export function schemaStage(result: unknown): StageReport {
  if (!isRecord(result)) return { ...NOTHING_FOUND, faults: [unlike('turn_result', 'an object')] };
  const absent = REQUIRED_FIELDS.filter((name) => isMissing(result[name])).map(missing);
  if (absent.length > 0) return { ...NOTHING_FOUND, faults: absent };
  return {
    ...NOTHING_FOUND,
    faults: [
      ...identityFaults(result),
      ...decisionFaults(result.decisions),
      ...objectionFaults(result.objections),
      ...fileFaults(result),
      ...verificationFaults(result.verification, result.files_changed),
      ...artifactFaults(result.artifact),
      ...requestFaults(result),
      ...costFaults(result.cost),
      ...delegationFaults(result.delegations),
      ...proposedChangeFaults(result.proposed_changes),
    ],
  };
}

function identityFaults(result: Unknowns): readonly Fault[] {
  const faults: Fault[] = [];
  if (result.schema_version !== RESULT_VERSION) faults.push(unlike('schema_version', `"${RESULT_VERSION}"`));
  for (const name of ['run_id', 'turn_id', 'runtime_id', 'summary']) {
    // A text with nothing in it says as much as no text.
    if (typeof result[name] === 'string' && !isFilled(result[name])) faults.push(missing(name));
    else if (!isFilled(result[name])) faults.push(unlike(name, 'a text'));
  }
  if (isTemplate(result.summary)) faults.push(unfilled('summary'));
  if (!matches(ROLE_ID, result.role)) faults.push(unlike('role', 'the id of a role'));
  const next = result.proposed_next_role;
  if (next !== HUMAN && !matches(ROLE_ID, next))
    faults.push(unlike('proposed_next_role', `the id of a role, or "${HUMAN}"`));
  if (!isOneOf(RESULT_STATUSES, result.status)) faults.push(unlike('status', `one of ${RESULT_STATUSES.join(', ')}`));
  return faults;
}

function requestFaults({
  phase_transition_request: phase,
  run_completion_request,
  needs_human_reason,
}: Unknowns): readonly Fault[] {
  const faults: Fault[] = [];
  if (!isMissing(phase) && !isFilled(phase))
    faults.push(unlike('phase_transition_request', 'the name of a phase, or null'));
  if (!isMissing(run_completion_request) && typeof run_completion_request !== 'boolean') {
    faults.push(unlike('run_completion_request', 'true, false or null'));
  }
  if (!isTextOrNothing(needs_human_reason)) faults.push(unlike('needs_human_reason', 'a text, or null'));
  return faults;
}
