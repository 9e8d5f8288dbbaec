/** Checks single fields of a config: values that must fit, and names that must be declared. */

import { type ConfigFault, invalid } from '../lib/findings.ts';
import { HUMAN, matches, ROLE_ID } from '../lib/patterns.ts';
import { isMissing, isNonEmptyText, isOneOf, isRecord, type UnknownRecord } from '../lib/unknown-record.ts';
import { BUILT_IN_RUNTIME, RUNTIME_TYPES, WRITE_AUTHORITIES } from './config.ts';

const MAX_CONCURRENT_TURNS = 4;

export function limitFaults(config: UnknownRecord): readonly ConfigFault[] {
  return entriesOf(config.routing).flatMap(([phase, { max_concurrent_turns: limit }]) => {
    if (isMissing(limit) || isWhole(limit, 1, MAX_CONCURRENT_TURNS)) return [];
    return [invalid(`routing.${phase}.max_concurrent_turns`, `a whole number from 1 to ${MAX_CONCURRENT_TURNS}`)];
  });
}

export function roleFaults(config: UnknownRecord): readonly ConfigFault[] {
  return [...entriesOf(config.roles).flatMap(([id, role]) => oneRole(id, role)), ...runtimeTypeFaults(config)];
}

function oneRole(id: string, { write_authority, decision_authority }: UnknownRecord): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (!matches(ROLE_ID, id)) faults.push(invalid(`roles.${id}`, 'a name of small letters, digits, "-" and "_"'));
  if (!isMissing(write_authority) && !isOneOf(WRITE_AUTHORITIES, write_authority)) {
    faults.push(invalid(`roles.${id}.write_authority`, `one of ${WRITE_AUTHORITIES.join(', ')}`));
  }
  if (!isMissing(decision_authority) && !isWhole(decision_authority, 0, 99)) {
    faults.push(invalid(`roles.${id}.decision_authority`, 'a whole number from 0 to 99'));
  }
  return faults;
}

function runtimeTypeFaults(config: UnknownRecord): readonly ConfigFault[] {
  const own = isRecord(config.adapters) ? Object.keys(config.adapters) : [];
  const types = [...RUNTIME_TYPES, ...own];
  return entriesOf(config.runtimes).flatMap(([id, { type }]) =>
    isMissing(type) || isOneOf(types, type) ? [] : [invalid(`runtimes.${id}.type`, `one of ${types.join(', ')}`)],
  );
}

const GATE_SWITCHES = ['requires_verification_pass', 'requires_human_approval', 'credentialed'];

export function gateFaults(config: UnknownRecord): readonly ConfigFault[] {
  return entriesOf(config.gates).flatMap(([id, gate]) => {
    const { requires_files: files } = gate;
    const isListed = isMissing(files) || (Array.isArray(files) && files.every(isNonEmptyText));
    return [
      ...(isListed ? [] : [invalid(`gates.${id}.requires_files`, 'an array of paths')]),
      ...GATE_SWITCHES.filter((name) => !isMissing(gate[name]) && typeof gate[name] !== 'boolean').map((name) =>
        invalid(`gates.${id}.${name}`, 'true or false'),
      ),
    ];
  });
}

export function ruleFaults({ rules, timeouts, budget }: UnknownRecord): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  const { challenge_required, challenge, max_turn_retries, require_reproducible_verification } = isRecord(rules)
    ? rules
    : {};
  for (const [name, value] of Object.entries({ challenge_required, require_reproducible_verification })) {
    if (!isMissing(value) && typeof value !== 'boolean') faults.push(invalid(`rules.${name}`, 'true or false'));
  }
  if (!isMissing(challenge) && !isOneOf(['review_only', 'all'], challenge)) {
    faults.push(invalid('rules.challenge', 'one of review_only, all'));
  }
  if (!isMissing(max_turn_retries) && !isWhole(max_turn_retries, 1, 100)) {
    faults.push(invalid('rules.max_turn_retries', 'a whole number from 1 to 100'));
  }
  const minutes = isRecord(timeouts) ? timeouts.per_turn_minutes : undefined;
  if (!isMissing(minutes) && !isPositive(minutes))
    faults.push(invalid('timeouts.per_turn_minutes', 'a number above 0'));
  const usd = isRecord(budget) ? budget.per_run_max_usd : undefined;
  if (!isMissing(usd) && !isPositive(usd)) faults.push(invalid('budget.per_run_max_usd', 'a number above 0'));
  return faults;
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

export function runtimeFaults(config: UnknownRecord): readonly ConfigFault[] {
  const declared = groupOf(config.runtimes);
  return entriesOf(config.roles).flatMap(([id, { runtime }]) => {
    const error_field = `roles.${id}.runtime`;
    if (isMissing(runtime) || runtime === BUILT_IN_RUNTIME) return [];
    if (typeof runtime !== 'string') return [invalid(error_field, 'the id of a runtime')];
    if (Object.hasOwn(declared, runtime)) return [];
    const message = `${error_field}: runtime "${runtime}" is not declared in runtimes`;
    return [{ error_type: 'undeclared_runtime_reference', error_field, message, referenced_runtime: runtime }];
  });
}

export function entryRoleFaults(config: UnknownRecord): readonly ConfigFault[] {
  return entriesOf(config.routing).flatMap(([phase, { entry_role }]) => {
    if (isMissing(entry_role)) return [];
    return roleFault(config, `routing.${phase}.entry_role`, entry_role);
  });
}

export function nextRoleFaults(config: UnknownRecord): readonly ConfigFault[] {
  return entriesOf(config.routing).flatMap(([phase, { allowed_next_roles }]) => {
    const field = `routing.${phase}.allowed_next_roles`;
    if (isMissing(allowed_next_roles)) return [];
    if (!Array.isArray(allowed_next_roles)) return [invalid(field, 'an array of roles')];
    return allowed_next_roles.filter((role) => role !== HUMAN).flatMap((role) => roleFault(config, field, role));
  });
}

export function exitGateFaults(config: UnknownRecord): readonly ConfigFault[] {
  const declared = groupOf(config.gates);
  return entriesOf(config.routing).flatMap(([phase, { exit_gate }]) => {
    const error_field = `routing.${phase}.exit_gate`;
    if (isMissing(exit_gate)) return [];
    if (typeof exit_gate !== 'string') return [invalid(error_field, 'the id of a gate')];
    if (Object.hasOwn(declared, exit_gate)) return [];
    const message = `${error_field}: gate "${exit_gate}" is not declared in gates`;
    return [{ error_type: 'undeclared_gate_reference', error_field, message, referenced_gate: exit_gate }];
  });
}

function roleFault(config: UnknownRecord, error_field: string, role: unknown): readonly ConfigFault[] {
  if (typeof role !== 'string') return [invalid(error_field, 'the id of a role')];
  if (Object.hasOwn(groupOf(config.roles), role)) return [];
  const message = `${error_field}: role "${role}" is not declared in roles`;
  return [{ error_type: 'undeclared_role_reference', error_field, message, referenced_role: role }];
}

function groupOf(group: unknown): UnknownRecord {
  return isRecord(group) ? group : {};
}

export function entriesOf(group: unknown): readonly (readonly [string, UnknownRecord])[] {
  return Object.entries(groupOf(group)).flatMap(([id, one]) => (isRecord(one) ? [[id, one] as const] : []));
}

export function artifactFaults(config: UnknownRecord): readonly ConfigFault[] {
  const { workflow_kit: kit } = config;
  if (isMissing(kit)) return [];
  if (!isRecord(kit)) return [invalid('workflow_kit', 'an object')];
  return entriesOf(kit.phases).flatMap(([phase, { artifacts }]) => {
    const field = `workflow_kit.phases.${phase}.artifacts`;
    if (isMissing(artifacts)) return [];
    if (!Array.isArray(artifacts)) return [invalid(field, 'an array')];
    return artifacts.flatMap((one: unknown, at) => oneArtifact(config, `${field}[${at}]`, one));
  });
}

function oneArtifact(config: UnknownRecord, field: string, artifact: unknown): readonly ConfigFault[] {
  if (!isRecord(artifact) || !isNonEmptyText(artifact.path)) return [invalid(`${field}.path`, 'a path')];
  const { required, semantics, semantics_config, owned_by } = artifact;
  const sections = isRecord(semantics_config) ? semantics_config.required_sections : undefined;
  const hasSections = Array.isArray(sections) && sections.length > 0 && sections.every(isNonEmptyText);
  return [
    ...(isMissing(required) || typeof required === 'boolean' ? [] : [invalid(`${field}.required`, 'true or false')]),
    ...(isMissing(semantics) || isNonEmptyText(semantics) ? [] : [invalid(`${field}.semantics`, 'a name')]),
    ...(semantics === 'section_check' && !hasSections
      ? [invalid(`${field}.semantics_config.required_sections`, 'an array of titles')]
      : []),
    ...(isMissing(owned_by) ? [] : roleFault(config, `${field}.owned_by`, owned_by)),
  ];
}
