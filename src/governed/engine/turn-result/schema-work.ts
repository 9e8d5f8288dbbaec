/** Stage 1, continued: files, verification, artifact and cost of a turn result. */

import { type Fault, invalidField } from '../lib/findings.ts';
import { isTemplate } from '../lib/patterns.ts';
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
import { ARTIFACT_TYPES, VERIFICATION_STATUSES } from './result.ts';

export function fileFaults({ files_changed, artifacts_created }: UnknownRecord): readonly Fault[] {
  return [
    ...eachOf('files_changed', files_changed, textFaults),
    ...eachOf('artifacts_created', artifacts_created, textFaults),
  ];
}

export function verificationFaults(verification: unknown, files: unknown): readonly Fault[] {
  if (!isRecord(verification)) return [invalidField('verification', 'an object')];
  const { status, commands, evidence_summary, machine_evidence, produced_files } = verification;
  const faults: Fault[] = [];
  if (!isOneOf(VERIFICATION_STATUSES, status)) {
    faults.push(invalidField('verification.status', `one of ${VERIFICATION_STATUSES.join(', ')}`));
  }
  faults.push(...eachOf('verification.commands', commands, textFaults));
  const field = 'verification.evidence_summary';
  if (!isTextOrNothing(evidence_summary)) faults.push(invalidField(field, 'a text, or null'));
  else if (isNonEmptyText(evidence_summary)) faults.push(...textFaults(field, evidence_summary));
  faults.push(...eachOf('verification.machine_evidence', machine_evidence, oneEvidence));
  faults.push(...producedFaults(produced_files, files));
  return faults;
}

function oneEvidence(at: string, evidence: unknown): readonly Fault[] {
  if (!isRecord(evidence)) return [invalidField(at, 'an object')];
  const { command, exit_code, expected_exit_code } = evidence;
  const faults = [...textFaults(`${at}.command`, command)];
  if (!Number.isInteger(exit_code)) faults.push(invalidField(`${at}.exit_code`, 'a whole number'));
  if (!isMissing(expected_exit_code) && !Number.isInteger(expected_exit_code)) {
    faults.push(invalidField(`${at}.expected_exit_code`, 'a whole number'));
  }
  return faults;
}

function producedFaults(produced: unknown, files: unknown): readonly Fault[] {
  const field = 'verification.produced_files';
  const changed = new Set(Array.isArray(files) ? files.map(canonical) : []);
  const faults = eachOf(field, produced, (at, file) => {
    if (!isRecord(file)) return [invalidField(at, 'an object')];
    const { path, disposition } = file;
    const own = [...textFaults(`${at}.path`, path)];
    if (!isMissing(disposition) && !isOneOf(['artifact', 'ignore'], disposition)) {
      own.push(invalidField(`${at}.disposition`, 'one of artifact, ignore'));
    }
    if (disposition === 'ignore' && changed.has(canonical(path))) {
      own.push(invalidField(`${at}.path`, 'a file that is not among files_changed, as it is to be ignored'));
    }
    return own;
  });
  const paths = Array.isArray(produced) ? produced.flatMap((one) => (isRecord(one) ? [canonical(one.path)] : [])) : [];
  return [
    ...faults,
    ...repeatedIn(paths).map((path) => invalidField(field, `each path once, and ${path} stands there twice`)),
  ];
}

function canonical(path: unknown): string {
  return typeof path === 'string' ? (canonicalPath(path) ?? path) : '';
}

export function artifactFaults(artifact: unknown): readonly Fault[] {
  if (!isRecord(artifact)) return [invalidField('artifact', 'an object')];
  return isOneOf(ARTIFACT_TYPES, artifact.type)
    ? []
    : [invalidField('artifact.type', `one of ${ARTIFACT_TYPES.join(', ')}`)];
}

export function costFaults(cost: unknown): readonly Fault[] {
  if (isMissing(cost)) return [];
  if (!isRecord(cost)) return [invalidField('cost', 'an object')];
  return ['input_tokens', 'output_tokens', 'usd']
    .filter((name) => !isMissing(cost[name]) && !(typeof cost[name] === 'number' && Number(cost[name]) >= 0))
    .map((name) => invalidField(`cost.${name}`, 'a number that is not negative'));
}

export function proposedChangeFaults(changes: unknown): readonly Fault[] {
  return eachOf('proposed_changes', changes, (at, change) => {
    if (!isRecord(change)) return [invalidField(at, 'an object')];
    const { path, action, content } = change;
    const faults = [...textFaults(`${at}.path`, path)];
    if (!isOneOf(['create', 'modify', 'delete'], action))
      faults.push(invalidField(`${at}.action`, 'one of create, modify, delete'));
    if (action !== 'delete' && typeof content !== 'string')
      faults.push(invalidField(`${at}.content`, 'the text of the file'));
    return faults;
  });
}

export function unfilled(field: string): Fault {
  return { error_field: field, detail: `${field}: a template that nobody has filled in` };
}

/** A text that says something: not blank, and not a template. */
export function textFaults(field: string, value: unknown): readonly Fault[] {
  if (!isNonEmptyText(value)) return [invalidField(field, 'a text with something in it')];
  return isTemplate(value) ? [unfilled(field)] : [];
}

/** An array, each member of which is looked at; absent is fine. */
export function eachOf(
  field: string,
  list: unknown,
  look: (at: string, one: unknown) => readonly Fault[],
): readonly Fault[] {
  if (isMissing(list)) return [];
  if (!Array.isArray(list)) return [invalidField(field, 'an array')];
  return list.flatMap((one: unknown, at) => look(`${field}[${at}]`, one));
}
