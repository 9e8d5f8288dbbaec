/** Stage 1: is it a turn result at all? Checks members, decisions, objections and delegations. */

import { type Fault, invalidField, missingField, NOTHING_FOUND, type StageReport } from '../lib/findings.ts';
import { DECISION_ID, DELEGATION_ID, HUMAN, isTemplate, matches, OBJECTION_ID, ROLE_ID } from '../lib/patterns.ts';
import {
  isMissing,
  isNonEmptyText,
  isOneOf,
  isRecord,
  isTextOrNothing,
  repeatedIn,
  type UnknownRecord,
} from '../lib/unknown-record.ts';
import {
  DECISION_CATEGORIES,
  OBJECTION_STATUSES,
  REQUIRED_FIELDS,
  RESULT_STATUSES,
  RESULT_VERSION,
  SEVERITIES,
} from './result.ts';
import {
  artifactFaults,
  costFaults,
  eachOf,
  fileFaults,
  proposedChangeFaults,
  textFaults,
  unfilled,
  verificationFaults,
} from './schema-work.ts';

export function schemaStage(result: unknown): StageReport {
  if (!isRecord(result)) return { ...NOTHING_FOUND, faults: [invalidField('turn_result', 'an object')] };
  const absent = REQUIRED_FIELDS.filter((name) => isMissing(result[name])).map(missingField);
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

function identityFaults(result: UnknownRecord): readonly Fault[] {
  const faults: Fault[] = [];
  if (result.schema_version !== RESULT_VERSION) faults.push(invalidField('schema_version', `"${RESULT_VERSION}"`));
  for (const name of ['run_id', 'turn_id', 'runtime_id', 'summary']) {
    // A text with nothing in it says as much as no text.
    if (typeof result[name] === 'string' && !isNonEmptyText(result[name])) faults.push(missingField(name));
    else if (!isNonEmptyText(result[name])) faults.push(invalidField(name, 'a text'));
  }
  if (isTemplate(result.summary)) faults.push(unfilled('summary'));
  if (!matches(ROLE_ID, result.role)) faults.push(invalidField('role', 'the id of a role'));
  const next = result.proposed_next_role;
  if (next !== HUMAN && !matches(ROLE_ID, next))
    faults.push(invalidField('proposed_next_role', `the id of a role, or "${HUMAN}"`));
  if (!isOneOf(RESULT_STATUSES, result.status))
    faults.push(invalidField('status', `one of ${RESULT_STATUSES.join(', ')}`));
  return faults;
}

function requestFaults({
  phase_transition_request: phase,
  run_completion_request,
  needs_human_reason,
}: UnknownRecord): readonly Fault[] {
  const faults: Fault[] = [];
  if (!isMissing(phase) && !isNonEmptyText(phase))
    faults.push(invalidField('phase_transition_request', 'the name of a phase, or null'));
  if (!isMissing(run_completion_request) && typeof run_completion_request !== 'boolean') {
    faults.push(invalidField('run_completion_request', 'true, false or null'));
  }
  if (!isTextOrNothing(needs_human_reason)) faults.push(invalidField('needs_human_reason', 'a text, or null'));
  return faults;
}

const DURABILITIES = ['run', 'repo'] as const;

function decisionFaults(decisions: unknown): readonly Fault[] {
  return [...eachOf('decisions', decisions, oneDecision), ...repeatedIds(decisions)];
}

function oneDecision(at: string, decision: unknown): readonly Fault[] {
  if (!isRecord(decision)) return [invalidField(at, 'an object')];
  const { id, category, statement, rationale, durability, overrides } = decision;
  const faults: Fault[] = [];
  if (!matches(DECISION_ID, id)) {
    faults.push({ ...invalidField(`${at}.id`, 'DEC- and digits'), error_type: 'invalid_decision_id_format' });
  }
  if (!isOneOf(DECISION_CATEGORIES, category)) {
    faults.push(invalidField(`${at}.category`, `one of ${DECISION_CATEGORIES.join(', ')}`));
  }
  faults.push(...textFaults(`${at}.statement`, statement), ...textFaults(`${at}.rationale`, rationale));
  if (!isMissing(durability) && !isOneOf(DURABILITIES, durability)) {
    faults.push(invalidField(`${at}.durability`, `one of ${DURABILITIES.join(', ')}`));
  }
  if (!isMissing(overrides) && !matches(DECISION_ID, overrides))
    faults.push(invalidField(`${at}.overrides`, 'DEC- and digits'));
  else if (!isMissing(overrides) && overrides === id) {
    faults.push(invalidField(`${at}.overrides`, 'another decision than this one'));
  }
  return faults;
}

function repeatedIds(decisions: unknown): readonly Fault[] {
  if (!Array.isArray(decisions)) return [];
  const ids = decisions.flatMap((one) => (isRecord(one) && typeof one.id === 'string' ? [one.id] : []));
  return repeatedIn(ids).map((id) => ({
    error_type: 'duplicate_decision_id',
    error_field: 'decisions',
    detail: `decisions: ${id} stands there more than once`,
  }));
}

function objectionFaults(objections: unknown): readonly Fault[] {
  return eachOf('objections', objections, (at, objection) => {
    if (!isRecord(objection)) return [invalidField(at, 'an object')];
    const { id, severity, statement, status } = objection;
    const faults: Fault[] = [];
    if (!matches(OBJECTION_ID, id)) faults.push(invalidField(`${at}.id`, 'OBJ- and digits'));
    if (!isOneOf(SEVERITIES, severity)) faults.push(invalidField(`${at}.severity`, `one of ${SEVERITIES.join(', ')}`));
    faults.push(...textFaults(`${at}.statement`, statement));
    if (!isMissing(status) && !isOneOf(OBJECTION_STATUSES, status)) {
      faults.push(invalidField(`${at}.status`, `one of ${OBJECTION_STATUSES.join(', ')}`));
    }
    return faults;
  });
}

function delegationFaults(delegations: unknown): readonly Fault[] {
  return eachOf('delegations', delegations, (at, delegation) => {
    if (!isRecord(delegation)) return [invalidField(at, 'an object')];
    const { id, to_role, charter, acceptance_contract, required_decision_ids } = delegation;
    const faults: Fault[] = [];
    if (!matches(DELEGATION_ID, id)) faults.push(invalidField(`${at}.id`, 'del- and three digits'));
    if (!matches(ROLE_ID, to_role)) faults.push(invalidField(`${at}.to_role`, 'the id of a role'));
    faults.push(...textFaults(`${at}.charter`, charter));
    if (!isFilledList(acceptance_contract, isNonEmptyText)) {
      faults.push(invalidField(`${at}.acceptance_contract`, 'an array with at least one sentence'));
    }
    if (!isMissing(required_decision_ids) && !isIdList(required_decision_ids)) {
      faults.push(invalidField(`${at}.required_decision_ids`, 'an array of different decision ids, with at least one'));
    }
    return faults;
  });
}

function isFilledList(list: unknown, isGood: (one: unknown) => boolean): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 0 && list.every(isGood);
}

function isIdList(list: unknown): boolean {
  return isFilledList(list, (one) => matches(DECISION_ID, one)) && new Set(list).size === list.length;
}
