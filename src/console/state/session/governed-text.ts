/** Describes events of a governed run in single lines; the panel shows the details. Pure. */

import { isPlainObject, type Json } from '../../../core/lib/json.ts';
import type { Envelope } from '../../../core/records/session/envelope.ts';
import { stopText } from '../../parts/governed/model/run-model.ts';

type Data = Readonly<Record<string, Json | undefined>>;

export type GovernedMark = 'run' | 'turn' | 'gate' | 'stop';

type GovernedText = (data: Data, sender: string) => string;

export const GOVERNED: Readonly<Record<string, readonly [GovernedMark, GovernedText]>> = {
  'governed.imported': ['run', () => 'a run was imported'],
  'run.initialized': ['run', ({ run_id }) => `run ${text(run_id)} starts`],
  'run.blocked': [
    'stop',
    ({ blocked_on, detail }) => `blocked: ${stopText(text(blocked_on), text(detail))}${more(detail)}`,
  ],
  'run.escalated': ['stop', ({ reason, detail }) => `escalated: ${text(reason)}${more(detail)}`],
  'run.resolved': ['stop', ({ note, action }, by) => `${by} resolved it${more(note ?? action)}`],
  'run.answered': ['stop', ({ answer, note }, by) => `${by} answered${more(answer ?? note)}`],
  'turn.assigned': ['turn', ({ turn_id, role }) => `${text(turn_id)} is assigned to ${text(role)}`],
  'turn.dispatched': ['turn', ({ turn_id }) => `${text(turn_id)} is dispatched`],
  'turn.progress': ['turn', ({ turn_id, text: note }) => `${text(turn_id)} makes progress${more(note)}`],
  'turn.result': ['turn', ({ turn_id, result }, by) => `${by} submitted ${text(turn_id)}${more(summaryIn(result))}`],
  'turn.accepted': [
    'turn',
    ({ turn_id, result }) => `${text(turn_id)} is accepted${more(summaryIn(result))}${asks(result)}`,
  ],
  'turn.rejected': ['turn', ({ turn_id, reason }) => `${text(turn_id)} is rejected${more(reason)}`],
  'gate.approved': ['gate', ({ gate, note }, by) => `${by} approved the gate ${text(gate)}${more(note)}`],
  'gate.refused': ['gate', ({ gate, reason }, by) => `${by} refused the gate ${text(gate)}${more(reason)}`],
  'hook.results': ['run', () => 'hooks have finished'],
  'lease.taken': ['run', (_, by) => `${by} is the runner`],
  'lease.released': ['run', (_, by) => `${by} is no longer the runner`],
};

function summaryIn(result: Json | undefined): Json | undefined {
  return isPlainObject(result) ? result.summary : undefined;
}

/** What a turn result asks for: an answer, help with a blocker, the next phase, or completion. */
function asks(result: Json | undefined): string {
  if (!isPlainObject(result)) return '';
  const { status, needs_human_reason, phase_transition_request: phase, run_completion_request } = result;
  if (status === 'needs_human') return `; asks a person${more(needs_human_reason)}`;
  if (status === 'blocked') return `; blocked${more(needs_human_reason)}`;
  if (typeof phase === 'string' && phase !== '') return `; asks for ${phase}`;
  return run_completion_request === true ? '; asks to complete the run' : '';
}

/** True for an acceptance that blocks the run. */
export function stopsRun({ event_type, event_data: { result } }: Envelope): boolean {
  if (event_type !== 'turn.accepted' || !isPlainObject(result)) return false;
  return result.status === 'needs_human' || result.status === 'blocked';
}

function more(words: Json | undefined): string {
  return typeof words === 'string' && words !== '' ? `: ${words}` : '';
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '(unnamed)';
}
