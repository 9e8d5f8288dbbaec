/** Stage 1: checks the type and format of every member of a turn result. */

import { type Fault, invalidField, missingField, NOTHING_FOUND, type StageReport } from '../lib/findings.ts';
import { DECISION_ID, DELEGATION_ID, HUMAN, isTemplate, matches, OBJECTION_ID, ROLE_ID } from '../lib/patterns.ts';
import { canonicalPath } from '../lib/project-paths.ts';
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
  ARTIFACT_TYPES,
  DECISION_CATEGORIES,
  OBJECTION_STATUSES,
  REQUIRED_FIELDS,
  RESULT_STATUSES,
  RESULT_VERSION,
  SEVERITIES,
  VERIFICATION_STATUSES,
} from './result.ts';

export function schemaStage(result: unknown): StageReport {
  if (!isRecord(result)) return { ...NOTHING_FOUND, faults: [invalidField('turn_result', 'an object')] };
  const absent = REQUIRED_FIELDS.filter((name) => isMissing(result[name])).map(missingField);
  if (absent.length > 0) return { ...NOTHING_FOUND, faults: absent };
  return {
    ...NOTHING_FOUND,
    faults: [
      ...identityFaults(result),
      ...eachRecord('decisions', result.decisions, decisionFaults),
      ...repeatedIds(result.decisions),
      ...eachRecord('objections', result.objections, objectionFaults),
      ...eachOf('files_changed', result.files_changed, textFaults),
      ...eachOf('artifacts_created', result.artifacts_created, textFaults),
      ...verificationFaults(result.verification, result.files_changed),
      ...artifactFaults(result.artifact),
      ...requestFaults(result),
      ...costFaults(result.cost),
      ...eachRecord('delegations', result.delegations, delegationFaults),
      ...eachRecord('proposed_changes', result.proposed_changes, proposedChangeFaults),
    ],
  };
}

type Faults = readonly Fault[];

function unless(isRight: boolean, field: string, expected: string): Faults {
  return isRight ? [] : [invalidField(field, expected)];
}

function choiceFaults(field: string, value: unknown, choices: readonly string[]): Faults {
  return unless(isOneOf(choices, value), field, `one of ${choices.join(', ')}`);
}

/** Rejects a blank string and an unfilled template. */
function textFaults(field: string, value: unknown): Faults {
  if (!isNonEmptyText(value)) return [invalidField(field, 'a non-empty text')];
  return isTemplate(value) ? [unfilled(field)] : [];
}

function unfilled(field: string): Fault {
  return { error_field: field, detail: `${field}: an unfilled template` };
}

/** Checks each member of an optional array. */
function eachOf(field: string, list: unknown, check: (at: string, one: unknown) => Faults): Faults {
  if (isMissing(list)) return [];
  if (!Array.isArray(list)) return [invalidField(field, 'an array')];
  return list.flatMap((one: unknown, at) => check(`${field}[${at}]`, one));
}

function eachRecord(field: string, list: unknown, check: (at: string, one: UnknownRecord) => Faults): Faults {
  return eachOf(field, list, (at, one) => (isRecord(one) ? check(at, one) : [invalidField(at, 'an object')]));
}

function identityFaults(result: UnknownRecord): Faults {
  const { role, proposed_next_role: next } = result;
  return [
    ...unless(result.schema_version === RESULT_VERSION, 'schema_version', `"${RESULT_VERSION}"`),
    ...['run_id', 'turn_id', 'runtime_id', 'summary'].flatMap((name) => {
      if (isNonEmptyText(result[name])) return [];
      // A blank string counts as missing.
      return [typeof result[name] === 'string' ? missingField(name) : invalidField(name, 'a text')];
    }),
    ...(isTemplate(result.summary) ? [unfilled('summary')] : []),
    ...unless(matches(ROLE_ID, role), 'role', 'the id of a role'),
    ...unless(next === HUMAN || matches(ROLE_ID, next), 'proposed_next_role', `the id of a role, or "${HUMAN}"`),
    ...choiceFaults('status', result.status, RESULT_STATUSES),
  ];
}

function requestFaults(result: UnknownRecord): Faults {
  const { phase_transition_request: phase, run_completion_request: completion, needs_human_reason } = result;
  return [
    ...unless(isMissing(phase) || isNonEmptyText(phase), 'phase_transition_request', 'the name of a phase, or null'),
    ...unless(
      isMissing(completion) || typeof completion === 'boolean',
      'run_completion_request',
      'true, false or null',
    ),
    ...unless(isTextOrNothing(needs_human_reason), 'needs_human_reason', 'a text, or null'),
  ];
}

const DURABILITIES = ['run', 'repo'] as const;

function decisionFaults(at: string, decision: UnknownRecord): Faults {
  const { id, category, statement, rationale, durability, overrides } = decision;
  const idFaults = unless(matches(DECISION_ID, id), `${at}.id`, 'DEC- and digits');
  return [
    ...idFaults.map((fault) => ({ ...fault, error_type: 'invalid_decision_id_format' })),
    ...choiceFaults(`${at}.category`, category, DECISION_CATEGORIES),
    ...textFaults(`${at}.statement`, statement),
    ...textFaults(`${at}.rationale`, rationale),
    ...(isMissing(durability) ? [] : choiceFaults(`${at}.durability`, durability, DURABILITIES)),
    ...(isMissing(overrides) ? [] : overrideFaults(`${at}.overrides`, overrides, id)),
  ];
}

function overrideFaults(field: string, overrides: unknown, id: unknown): Faults {
  if (!matches(DECISION_ID, overrides)) return [invalidField(field, 'DEC- and digits')];
  return unless(overrides !== id, field, 'another decision than this one');
}

function repeatedIds(decisions: unknown): Faults {
  if (!Array.isArray(decisions)) return [];
  const ids = decisions.flatMap((one) => (isRecord(one) && typeof one.id === 'string' ? [one.id] : []));
  return repeatedIn(ids).map((id) => ({
    error_type: 'duplicate_decision_id',
    error_field: 'decisions',
    detail: `decisions: ${id} appears more than once`,
  }));
}

function objectionFaults(at: string, { id, severity, statement, status }: UnknownRecord): Faults {
  return [
    ...unless(matches(OBJECTION_ID, id), `${at}.id`, 'OBJ- and digits'),
    ...choiceFaults(`${at}.severity`, severity, SEVERITIES),
    ...textFaults(`${at}.statement`, statement),
    ...(isMissing(status) ? [] : choiceFaults(`${at}.status`, status, OBJECTION_STATUSES)),
  ];
}

function delegationFaults(at: string, delegation: UnknownRecord): Faults {
  const { id, to_role, charter, acceptance_contract: contract, required_decision_ids: ids } = delegation;
  const isIdList = isFilledList(ids, (one) => matches(DECISION_ID, one)) && new Set(ids).size === ids.length;
  return [
    ...unless(matches(DELEGATION_ID, id), `${at}.id`, 'del- and three digits'),
    ...unless(matches(ROLE_ID, to_role), `${at}.to_role`, 'the id of a role'),
    ...textFaults(`${at}.charter`, charter),
    ...unless(
      isFilledList(contract, isNonEmptyText),
      `${at}.acceptance_contract`,
      'an array with at least one sentence',
    ),
    ...unless(
      isMissing(ids) || isIdList,
      `${at}.required_decision_ids`,
      'an array of different decision ids, with at least one',
    ),
  ];
}

function isFilledList(list: unknown, isGood: (one: unknown) => boolean): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 0 && list.every(isGood);
}

function verificationFaults(verification: unknown, files: unknown): Faults {
  if (!isRecord(verification)) return [invalidField('verification', 'an object')];
  const { status, commands, evidence_summary: summary, machine_evidence, produced_files } = verification;
  const field = 'verification.evidence_summary';
  return [
    ...choiceFaults('verification.status', status, VERIFICATION_STATUSES),
    ...eachOf('verification.commands', commands, textFaults),
    ...unless(isTextOrNothing(summary), field, 'a text, or null'),
    ...(isNonEmptyText(summary) ? textFaults(field, summary) : []),
    ...eachRecord('verification.machine_evidence', machine_evidence, evidenceFaults),
    ...producedFaults('verification.produced_files', produced_files, files),
  ];
}

function evidenceFaults(at: string, { command, exit_code, expected_exit_code: expected }: UnknownRecord): Faults {
  return [
    ...textFaults(`${at}.command`, command),
    ...unless(Number.isInteger(exit_code), `${at}.exit_code`, 'a whole number'),
    ...unless(isMissing(expected) || Number.isInteger(expected), `${at}.expected_exit_code`, 'a whole number'),
  ];
}

function producedFaults(field: string, produced: unknown, files: unknown): Faults {
  const changed = new Set(Array.isArray(files) ? files.map(canonical) : []);
  const faults = eachRecord(field, produced, (at, { path, disposition }) => [
    ...textFaults(`${at}.path`, path),
    ...(isMissing(disposition) ? [] : choiceFaults(`${at}.disposition`, disposition, ['artifact', 'ignore'])),
    ...unless(
      disposition !== 'ignore' || !changed.has(canonical(path)),
      `${at}.path`,
      'a file that is not among files_changed, as it is to be ignored',
    ),
  ]);
  const paths = Array.isArray(produced) ? produced.flatMap((one) => (isRecord(one) ? [canonical(one.path)] : [])) : [];
  const repeated = repeatedIn(paths).map((path) => invalidField(field, `each path once, and ${path} appears twice`));
  return [...faults, ...repeated];
}

function canonical(path: unknown): string {
  return typeof path === 'string' ? (canonicalPath(path) ?? path) : '';
}

function artifactFaults(artifact: unknown): Faults {
  if (!isRecord(artifact)) return [invalidField('artifact', 'an object')];
  return choiceFaults('artifact.type', artifact.type, ARTIFACT_TYPES);
}

function costFaults(cost: unknown): Faults {
  if (isMissing(cost)) return [];
  if (!isRecord(cost)) return [invalidField('cost', 'an object')];
  return ['input_tokens', 'output_tokens', 'usd'].flatMap((name) => {
    const isRight = isMissing(cost[name]) || (typeof cost[name] === 'number' && Number(cost[name]) >= 0);
    return unless(isRight, `cost.${name}`, 'a number that is not negative');
  });
}

function proposedChangeFaults(at: string, { path, action, content }: UnknownRecord): Faults {
  return [
    ...textFaults(`${at}.path`, path),
    ...choiceFaults(`${at}.action`, action, ['create', 'modify', 'delete']),
    ...unless(action === 'delete' || typeof content === 'string', `${at}.content`, 'the text of the file'),
  ];
}
