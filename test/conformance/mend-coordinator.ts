/** Mends a coordinator fixture where the engine reports an error. */

import type { Loose } from './mend.ts';

export function mendCoordinator({ setup, input }: Loose, { error_code, error_field, params }: Loose): boolean {
  const config = setup.coordinator_config;
  if (input.operation === 'project_repo_acceptance') return mendProjection(setup, input.args, { error_code, params });
  const [group, id, name] = error_field.split('.');
  const one = config[group]?.[id];
  if (error_code === 'schema_version_invalid') config.schema_version = '0.1';
  else if (error_code === 'project_invalid') config.project = { id: 'p', name: 'P' };
  else if (error_code.endsWith('_id_invalid')) delete config[group][id];
  else if (error_code.startsWith('repo_path')) one.path = './somewhere/else';
  else if (error_code === 'repo_invalid') delete one[name];
  else if (error_code === 'workstream_phase_unknown') one.phase = Object.keys(config.routing ?? { qa: {} })[0];
  else if (/^workstream_repo/.test(error_code)) one.repos = [one.entry_repo];
  else if (error_code === 'workstream_entry_repo_invalid') [one.entry_repo] = one.repos;
  else if (/^workstream_(dep|cycle)/.test(error_code)) one.depends_on = [];
  else if (error_code === 'workstream_barrier_invalid') one.completion_barrier = 'all_repos_accepted';
  else if (error_code.startsWith('barrier_decision')) {
    const ids = Object.fromEntries(one.repos.map((repo: string, at: number) => [repo, [`DEC-${at + 1}`]]));
    one[one.completion_barrier] = { decision_ids_by_repo: ids };
  } else if (/^(routing|gate|hooks)_/.test(error_code)) delete config[group];
  else return false;
  return true;
}

function mendProjection(setup: Loose, args: Loose, { error_code, params }: Loose): boolean {
  const { repos, workstreams } = setup.coordinator_config;
  const turn = args.accepted_turn;
  if (error_code === 'path_outside_repo') {
    turn.files_changed = turn.files_changed.filter((path: string) => path !== params.path);
  } else if (error_code === 'unknown_repo') args.repo_id = Object.keys(repos)[0];
  else if (error_code === 'unknown_workstream') args.workstream_id = Object.keys(workstreams)[0];
  else if (error_code === 'repo_not_in_workstream') workstreams[args.workstream_id].repos.push(args.repo_id);
  else if (error_code === 'missing_turn_id') turn.turn_id = 'turn_mended';
  else if (error_code === 'repo_run_id_mismatch') delete turn.run_id;
  else if (error_code === 'turn_not_completed') turn.status = 'completed';
  else if (error_code === 'bad_files_changed') turn.files_changed = [];
  else if (error_code === 'super_run_completed') setup.coordinator_state.status = 'active';
  else if (/^project/.test(error_code)) setup.coordinator_history = [];
  else return false;
  return true;
}
