/** Mends a turn result or its run where the engine reports an error. */

import type { Loose } from './mend.ts';

const OBJECTION = { id: 'OBJ-41', severity: 'high', statement: 'It is not so' };
/** Valid members of these lists. */
const MEMBERS: Readonly<Record<string, string>> = { files_changed: 'src/mended.ts', commands: 'make mended' };
const STATUSES: Readonly<Record<string, string>> = { objections: 'raised', verification: 'pass' };
const GOOD: Readonly<Record<string, unknown>> = {
  schema_version: '1.0',
  status: 'completed',
  summary: 'It is done',
  decisions: [],
  objections: [OBJECTION],
  verification: { status: 'pass' },
  artifact: { type: 'review' },
  proposed_next_role: 'human',
  needs_human_reason: 'To choose',
  charter: 'Do it',
  acceptance_contract: ['It is done'],
  required_decision_ids: ['DEC-41'],
  rationale: 'It is so',
  durability: 'run',
  overrides: null,
  exit_code: 0,
  expected_exit_code: 0,
  command: 'make mended',
  evidence_summary: 'All of it holds',
  disposition: 'artifact',
  produced_files: [],
  artifacts_created: [],
  category: 'scope',
  action: 'delete',
  content: 'mended',
  usd: 0,
  run_completion_request: null,
  proposed_changes: [{ path: 'src/mended.ts', action: 'delete' }],
};

export function mendResult(fixture: Loose, actual: Loose): boolean {
  const { setup, input } = fixture;
  const holder = setup.turn_result === undefined ? input.args : setup;
  const turns = Object.entries<Loose>(setup.state.active_turns ?? {});
  const [turnId, turn] = turns[0] ?? ['turn_mended', { role: 'nobody' }];
  const role = turn.assigned_role ?? turn.role;
  if (typeof holder.turn_result !== 'object') {
    const runtime_id = turn.runtime_id;
    holder.turn_result = { ...GOOD, run_id: setup.state.run_id, turn_id: turnId, role, runtime_id, files_changed: [] };
    return true;
  }
  const result = holder.turn_result;
  const runtime = turn.runtime_id ?? setup.config.roles[role]?.runtime;
  const { error_type, error_field = '', error_path, error_code } = actual;
  if (error_type === 'turn_id_mismatch' || error_type === 'run_id_mismatch') Object.assign(result, { turn_id: turnId });
  else if (error_type === 'turn_already_accepted') return again(fixture);
  else if (error_type === 'turn_not_active') return hand(fixture, turnId, role);
  else if (error_type === 'invalid_state_transition') setup.state.status = 'active';
  else if (error_type === 'conflict') result.files_changed = ['src/mended.ts'];
  else if (error_type === 'mutually_exclusive_requests') delete result.run_completion_request;
  else if (error_type === 'challenge_requirement_violated') result.objections = [OBJECTION];
  else if (error_type === 'duplicate_decision_id')
    for (const [at, one] of result.decisions.entries()) one.id = `DEC-4${at}`;
  else if (error_type === 'override_validation_failed') for (const one of result.decisions) one.overrides = null;
  else if (error_path !== undefined) mendPath(result, error_path, setup.config.roles[role]);
  else if (error_field === 'role') result.role = role;
  else if (error_field === 'turn_id') result.turn_id = turnId;
  else if (error_field === 'runtime_id') result.runtime_id = runtime;
  else if (error_field === 'files_changed') result.files_changed = ['src/mended.ts'];
  else if (error_field === 'artifact.type') mendArtifact(result, setup.config.roles[role]);
  else if (error_field === 'phase_transition_request') delete result.phase_transition_request;
  else if (error_field === 'delegations') mendDelegations(fixture, result, role);
  else return mendAt(result, error_field, setup.config.roles, role, error_code);
  return true;
}

function again({ setup, input }: Loose): boolean {
  setup.history = setup.history.filter(({ turn_id }: Loose) => turn_id !== input.args.turn_id);
  return true;
}

/** Makes the turn active, or names one that is. */
function hand({ setup, input }: Loose, turnId: string, role: string): boolean {
  if (Object.hasOwn(setup.state.active_turns, turnId)) {
    input.args.turn_id = turnId;
    return true;
  }
  const someone = role === 'nobody' ? Object.keys(setup.config.roles)[0] : role;
  setup.state.active_turns = { [input.args.turn_id]: { role: someone } };
  return true;
}

function mendPath(result: Loose, path: string, role: Loose): void {
  const isReview = role?.write_authority === 'review_only';
  result.files_changed = result.files_changed.filter((one: string) => one !== path);
  result.artifacts_created = result.artifacts_created?.filter((one: string) => one !== path);
  result.proposed_changes = result.proposed_changes?.filter((one: Loose) => one.path !== path);
  const { verification } = result;
  verification.produced_files = verification.produced_files?.filter((one: Loose) => one.path !== path);
  if (!isReview) result.files_changed.push('src/mended.ts');
}

function mendArtifact(result: Loose, role: Loose): void {
  const types: Readonly<Record<string, string>> = { review_only: 'review', proposed: 'patch' };
  result.artifact = { type: types[role?.write_authority] ?? 'workspace' };
}

function mendDelegations({ setup }: Loose, result: Loose, role: string): void {
  const turn: Loose = Object.values(setup.state.active_turns)[0];
  if (turn.delegation_review) delete result.phase_transition_request;
  else if (turn.delegation_context) delete result.delegations;
  else if (result.run_completion_request) delete result.run_completion_request;
  else {
    const allowed: readonly string[] = setup.config.routing[setup.state.phase].allowed_next_roles;
    const other = allowed.find((one) => one !== role && one !== 'human');
    result.delegations = [{ ...result.delegations[0], to_role: other }];
  }
}

/** Replaces the member at a path such as `delegations[0].charter` by a valid one. */
function mendAt(result: Loose, field: string, roles: Loose, role: string, code: unknown): boolean {
  const names = field.split(/[.[\]]+/).filter((name) => name !== '');
  const last = names.pop() ?? '';
  let place = result;
  for (const name of names) place = place?.[name];
  if (place === undefined || place === null) return false;
  if (last === 'run_id') place.run_id = 'run_mended';
  else if (last === 'to_role') place.to_role = Object.keys(roles).find((one) => one !== role);
  else if (last === 'id')
    place.id = ({ delegations: 'del-041', objections: 'OBJ-41' } as Loose)[String(names[0])] ?? 'DEC-41';
  else if (last === 'path') place.disposition = 'artifact';
  else if (/^\d+$/.test(last)) place[last] = MEMBERS[names.at(-1) ?? ''];
  else if (last === 'status') place.status = STATUSES[names[0] ?? ''] ?? 'completed';
  else if (last === 'severity') place.severity = 'low';
  else if (last === 'statement') place.statement = 'It is so';
  else if (!(last in GOOD)) return false;
  else place[last] = structuredClone(GOOD[last]);
  return code !== 'never';
}
