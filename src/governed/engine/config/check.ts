/** Completes and checks a config before a run starts. Reports all faults in a fixed order; the first fault names the error. */

import { validateHooks } from '../hooks/check.ts';
import { type ConfigFault, invalid, type Normalisation } from '../lib/findings.ts';
import { HUMAN, matches, ROLE_ID } from '../lib/patterns.ts';
import { isMissing, isNonEmptyText, isOneOf, isRecord, type UnknownRecord } from '../lib/unknown-record.ts';
import { BUILT_IN_RUNTIME, CONFIG_VERSION, type GovernedConfig, RUNTIME_TYPES, WRITE_AUTHORITIES } from './config.ts';

export type CheckedConfig =
  | { readonly ok: true; readonly config: GovernedConfig; readonly normalisations: CompletedConfig['normalisations'] }
  | { readonly ok: false; readonly faults: readonly [ConfigFault, ...ConfigFault[]] };

export function checkConfig(given: unknown): CheckedConfig {
  const { config, normalisations } = completeConfig(given);
  const [first, ...others] = faultsOf(config);
  if (first !== undefined) return { ok: false, faults: [first, ...others] };
  // Every member was checked above.
  return { ok: true, config: config as GovernedConfig, normalisations };
}

type Faults = readonly ConfigFault[];

function faultsOf(config: unknown): Faults {
  if (!isRecord(config)) return [invalid('config', 'an object')];
  const version = versionFaults(config);
  const shape = shapeFaults(config);
  if (shape.length > 0) return [...version, ...shape];
  const roles = entriesOf(config.roles);
  const phases = entriesOf(config.routing);
  return [
    ...version,
    ...roles.flatMap(([id, { runtime }]) => {
      if (isMissing(runtime) || runtime === BUILT_IN_RUNTIME) return [];
      return referenceFaults(config, 'runtime', `roles.${id}.runtime`, runtime);
    }),
    ...phases.flatMap(([id, { entry_role: role }]) =>
      isMissing(role) ? [] : referenceFaults(config, 'role', `routing.${id}.entry_role`, role),
    ),
    ...phases.flatMap(([id, { allowed_next_roles }]) => nextRoleFaults(config, id, allowed_next_roles)),
    ...phases.flatMap(([id, { exit_gate: gate }]) =>
      isMissing(gate) ? [] : referenceFaults(config, 'gate', `routing.${id}.exit_gate`, gate),
    ),
    ...phases.flatMap(([id, { max_concurrent_turns }]) =>
      wholeFaults(`routing.${id}.max_concurrent_turns`, max_concurrent_turns, 1, MAX_CONCURRENT_TURNS),
    ),
    ...roles.flatMap(([id, role]) => roleFaults(`roles.${id}`, id, role)),
    ...runtimeTypeFaults(config),
    ...entriesOf(config.gates).flatMap(([id, gate]) => gateFaults(`gates.${id}`, gate)),
    ...ruleFaults(config),
    ...validateHooks(config.hooks),
    ...artifactFaults(config),
  ];
}

function versionFaults({ schema_version }: UnknownRecord): Faults {
  if (schema_version === CONFIG_VERSION) return [];
  return [
    {
      error_type: 'schema_version_invalid',
      error_field: 'schema_version',
      message: `schema_version: expected "${CONFIG_VERSION}", got ${JSON.stringify(schema_version) ?? 'nothing'}`,
      expected_version: CONFIG_VERSION,
      actual_version: schema_version ?? null,
    },
  ];
}

/** Groups must be records of records: the other checks rely on it. */
function shapeFaults(config: UnknownRecord): Faults {
  const faults: ConfigFault[] = [];
  if (!isRecord(config.roles) || Object.keys(config.roles).length === 0) {
    faults.push(invalid('roles', 'an object with at least one role'));
  }
  for (const name of ['roles', 'runtimes', 'routing', 'gates']) {
    const group = config[name];
    if (isMissing(group)) continue;
    if (!isRecord(group)) faults.push(invalid(name, 'an object'));
    else
      for (const [id, one] of Object.entries(group))
        if (!isRecord(one)) faults.push(invalid(`${name}.${id}`, 'an object'));
  }
  for (const name of ['project', 'rules', 'timeouts', 'budget', 'adapters']) {
    if (!isMissing(config[name]) && !isRecord(config[name])) faults.push(invalid(name, 'an object'));
  }
  return faults;
}

function referenceFaults(
  config: UnknownRecord,
  kind: 'role' | 'runtime' | 'gate',
  error_field: string,
  id: unknown,
): Faults {
  if (typeof id !== 'string') return [invalid(error_field, `the id of a ${kind}`)];
  if (Object.hasOwn(groupOf(config[`${kind}s`]), id)) return [];
  const message = `${error_field}: ${kind} "${id}" is not declared in ${kind}s`;
  return [{ error_type: `undeclared_${kind}_reference`, error_field, message, [`referenced_${kind}`]: id }];
}

function nextRoleFaults(config: UnknownRecord, phase: string, roles: unknown): Faults {
  const field = `routing.${phase}.allowed_next_roles`;
  if (isMissing(roles)) return [];
  if (!Array.isArray(roles)) return [invalid(field, 'an array of roles')];
  return roles.filter((role) => role !== HUMAN).flatMap((role) => referenceFaults(config, 'role', field, role));
}

const MAX_CONCURRENT_TURNS = 4;

function roleFaults(field: string, id: string, { write_authority, decision_authority }: UnknownRecord): Faults {
  return [
    ...(matches(ROLE_ID, id) ? [] : [invalid(field, 'a name of small letters, digits, "-" and "_"')]),
    ...choiceFaults(`${field}.write_authority`, write_authority, WRITE_AUTHORITIES),
    ...wholeFaults(`${field}.decision_authority`, decision_authority, 0, 99),
  ];
}

function runtimeTypeFaults({ adapters, runtimes }: UnknownRecord): Faults {
  const types = [...RUNTIME_TYPES, ...Object.keys(groupOf(adapters))];
  return entriesOf(runtimes).flatMap(([id, { type }]) => choiceFaults(`runtimes.${id}.type`, type, types));
}

const GATE_SWITCHES = ['requires_verification_pass', 'requires_human_approval', 'credentialed'];

function gateFaults(field: string, gate: UnknownRecord): Faults {
  const { requires_files: files } = gate;
  const isListed = isMissing(files) || (Array.isArray(files) && files.every(isNonEmptyText));
  return [
    ...(isListed ? [] : [invalid(`${field}.requires_files`, 'an array of paths')]),
    ...GATE_SWITCHES.flatMap((name) => switchFaults(`${field}.${name}`, gate[name])),
  ];
}

function ruleFaults({ rules, timeouts, budget }: UnknownRecord): Faults {
  const { challenge_required, challenge, max_turn_retries, require_reproducible_verification } = groupOf(rules);
  return [
    ...switchFaults('rules.challenge_required', challenge_required),
    ...switchFaults('rules.require_reproducible_verification', require_reproducible_verification),
    ...choiceFaults('rules.challenge', challenge, ['review_only', 'all']),
    ...wholeFaults('rules.max_turn_retries', max_turn_retries, 1, 100),
    ...positiveFaults('timeouts.per_turn_minutes', groupOf(timeouts).per_turn_minutes),
    ...positiveFaults('budget.per_run_max_usd', groupOf(budget).per_run_max_usd),
  ];
}

function artifactFaults(config: UnknownRecord): Faults {
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

function oneArtifact(config: UnknownRecord, field: string, artifact: unknown): Faults {
  if (!isRecord(artifact) || !isNonEmptyText(artifact.path)) return [invalid(`${field}.path`, 'a path')];
  const { required, semantics, semantics_config, owned_by } = artifact;
  const sections = groupOf(semantics_config).required_sections;
  const hasSections = Array.isArray(sections) && sections.length > 0 && sections.every(isNonEmptyText);
  return [
    ...switchFaults(`${field}.required`, required),
    ...(isMissing(semantics) || isNonEmptyText(semantics) ? [] : [invalid(`${field}.semantics`, 'a name')]),
    ...(semantics === 'section_check' && !hasSections
      ? [invalid(`${field}.semantics_config.required_sections`, 'an array of titles')]
      : []),
    ...(isMissing(owned_by) ? [] : referenceFaults(config, 'role', `${field}.owned_by`, owned_by)),
  ];
}

function switchFaults(field: string, value: unknown): Faults {
  return isMissing(value) || typeof value === 'boolean' ? [] : [invalid(field, 'true or false')];
}

function choiceFaults(field: string, value: unknown, choices: readonly string[]): Faults {
  return isMissing(value) || isOneOf(choices, value) ? [] : [invalid(field, `one of ${choices.join(', ')}`)];
}

function wholeFaults(field: string, value: unknown, least: number, most: number): Faults {
  const isInside = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
  return isMissing(value) || isInside ? [] : [invalid(field, `a whole number from ${least} to ${most}`)];
}

function positiveFaults(field: string, value: unknown): Faults {
  const isPositive = typeof value === 'number' && Number.isFinite(value) && value > 0;
  return isMissing(value) || isPositive ? [] : [invalid(field, 'a number above 0')];
}

function groupOf(group: unknown): UnknownRecord {
  return isRecord(group) ? group : {};
}

function entriesOf(group: unknown): readonly (readonly [string, UnknownRecord])[] {
  return Object.entries(groupOf(group)).flatMap(([id, one]) => (isRecord(one) ? [[id, one] as const] : []));
}

export interface CompletedConfig {
  /** Not checked yet. */
  readonly config: unknown;
  readonly normalisations: readonly Normalisation[];
}

/** Moves a role's inline `adapter` and `adapter_config` into a runtime, which the role then names. */
export function completeConfig(given: unknown): CompletedConfig {
  if (!isRecord(given) || !isRecord(given.roles)) return { config: given, normalisations: [] };
  const normalisations: Normalisation[] = [];
  const runtimes: Record<string, unknown> = { ...groupOf(given.runtimes) };
  const roles: Record<string, unknown> = {};
  for (const [id, role] of Object.entries(given.roles)) {
    roles[id] = isRecord(role) ? withRuntime(id, role, runtimes, normalisations) : role;
  }
  if (normalisations.length === 0) return { config: given, normalisations };
  return { config: { ...given, roles, runtimes }, normalisations };
}

function withRuntime(
  id: string,
  role: UnknownRecord,
  runtimes: Record<string, unknown>,
  normalisations: Normalisation[],
): UnknownRecord {
  const { adapter, adapter_config, ...rest } = role;
  if (typeof adapter !== 'string' || !isMissing(role.runtime)) return role;
  const runtime = freeName(`${adapter}-${id}`, runtimes);
  runtimes[runtime] = { ...groupOf(adapter_config), type: adapter };
  const path = `roles.${id}.runtime`;
  normalisations.push({ rule: 'adapter_to_runtime', path, before: { adapter, adapter_config }, after: runtime });
  return { ...rest, runtime };
}

function freeName(name: string, taken: UnknownRecord): string {
  let free = name;
  for (let n = 2; Object.hasOwn(taken, free); n++) free = `${name}-${n}`;
  return free;
}
