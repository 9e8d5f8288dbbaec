/** Phases and gates of a coordinator. */

import { isMissing, isRecord, type Unknowns } from '../../engine/lib/unknown-record.ts';
import { type CoordinatorFault, fault } from './fault.ts';
import { isTexts } from './workstreams.ts';

export function routingFaults({ routing, workstreams }: Unknowns): readonly CoordinatorFault[] {
  if (isMissing(routing)) return [];
  if (!isRecord(routing)) return [fault('routing_invalid', 'routing', 'expected an object')];
  return Object.entries(routing).flatMap(([phase, entry]) => {
    if (!isRecord(entry)) return [fault('routing_invalid', `routing.${phase}`, 'expected an object')];
    return isMissing(entry.entry_workstream) ? [] : entryFaults(phase, entry.entry_workstream, workstreams);
  });
}

function entryFaults(phase: string, id: unknown, workstreams: unknown): readonly CoordinatorFault[] {
  const field = `routing.${phase}.entry_workstream`;
  if (typeof id !== 'string') return [fault('routing_invalid', field, 'expected the id of a workstream')];
  const one = isRecord(workstreams) && Object.hasOwn(workstreams, id) ? workstreams[id] : undefined;
  if (one === undefined) {
    return [fault('routing_workstream_unknown', field, `workstream "${id}" is not declared in workstreams`)];
  }
  const its = isRecord(one) ? one.phase : undefined;
  if (its === phase) return [];
  return [fault('routing_workstream_phase_mismatch', field, `workstream "${id}" is of phase "${String(its)}"`)];
}

export function gateFaults({ gates, repos }: Unknowns): readonly CoordinatorFault[] {
  if (isMissing(gates)) return [];
  if (!isRecord(gates)) return [fault('gates_invalid', 'gates', 'expected an object')];
  const declared = isRecord(repos) ? repos : {};
  return Object.entries(gates).flatMap(([id, gate]) => {
    const field = `gates.${id}`;
    return isRecord(gate) ? oneGate(field, gate, declared) : [fault('gate_invalid', field, 'expected an object')];
  });
}

function oneGate(field: string, gate: Unknowns, declared: Unknowns): readonly CoordinatorFault[] {
  const { requires_human_approval: human, requires_repos: asked } = gate;
  const faults: CoordinatorFault[] = [];
  if (!isMissing(human) && typeof human !== 'boolean') {
    faults.push(fault('gate_invalid', `${field}.requires_human_approval`, 'expected true or false'));
  }
  if (isMissing(asked)) return faults;
  const place = `${field}.requires_repos`;
  if (!isTexts(asked)) return [...faults, fault('gate_invalid', place, 'expected an array of repos')];
  for (const repo of asked) {
    if (!Object.hasOwn(declared, repo)) {
      faults.push(fault('gate_repo_unknown', place, `repo "${repo}" is not declared in repos`));
    }
  }
  return faults;
}
