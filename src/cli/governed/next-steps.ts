/** Suggests the next commands for the status of a run. */

import { getTurnStagingResultPath, type RunState, type Turn } from '../../governed/engine/index.ts';
import { getOwn } from '../../governed/engine/lib/unknown-record.ts';
import { nextRole } from '../../governed/loop/choose.ts';
import type { Io } from '../terminal/io.ts';
import type { Project } from './project.ts';

/** The staged result of a turn: missing, incomplete, or ready. */
export type StagedState = 'nothing' | 'not_whole' | 'ready';

export function nextSteps(
  state: RunState | null,
  project: Pick<Project, 'root' | 'config' | 'served'>,
  staged: (turnId: string) => StagedState = () => 'nothing',
): readonly string[] {
  const { root, served } = project;
  if (served?.is_there === false) {
    const data = served.data === null ? '' : ` --data ${served.data}`;
    return [`parley up${data} --run ${root}`, 'parley run take-back'];
  }
  if (state === null) return ['parley run init'];
  switch (state.status) {
    case 'idle':
      return ['parley run init'];
    case 'paused':
      return ['parley run approve'];
    case 'blocked':
      return ['parley run resolve --note "what was done about it"'];
    case 'completed':
      return ['parley run history', 'parley run init --new'];
    case 'failed':
      return ['parley run init --new'];
    case 'active':
      return active(state, project, staged);
  }
}

export function sayNext(state: RunState, project: Pick<Project, 'root' | 'config' | 'served'>, io: Io): void {
  for (const step of nextSteps(state, project)) io.say(`Next: ${step}`);
}

function active(
  state: RunState,
  { config, served }: Pick<Project, 'config' | 'served'>,
  staged: (turnId: string) => StagedState,
): readonly string[] {
  const turns = Object.values(state.active_turns);
  const holder = (role: string): string | null => getOwn(served?.roles ?? {}, role) ?? null;
  if (turns.length > 0) return turns.map((turn) => ofTurn(turn, staged(turn.turn_id), holder(turn.assigned_role)));
  const role = nextRole(state, config);
  return [...(role === null ? [] : [`parley run assign ${role}`]), 'parley run loop'];
}

function ofTurn({ turn_id, status, assigned_role }: Turn, staged: StagedState, holder: string | null): string {
  const accept = `parley run accept ${turn_id}`;
  if (staged === 'ready') return accept;
  const isDispatched = status === 'dispatched' || status === 'starting' || status === 'running';
  if (!isDispatched) return `parley run assign ${assigned_role}`;
  if (holder !== null) return `wait for ${holder}, who has ${turn_id} in the hub, then: ${accept}`;
  return `write ${getTurnStagingResultPath(turn_id)}, then: ${accept}`;
}
