/** What happens in a governed run, each in a line; more of it tells the panel. Pure. */

import { isPlainObject, type Json } from '../../../core/lib/json.ts';
import type { Envelope } from '../../../core/records/session/envelope.ts';
import { stopText } from '../../parts/governed/model/run-model.ts';

type Data = Readonly<Record<string, Json | undefined>>;

export type GovernedMark = 'run' | 'turn' | 'gate' | 'stop';

export type GovernedText = (data: Data, sender: string) => string;

export const GOVERNED: Readonly<Record<string, readonly [GovernedMark, GovernedText]>> = {
  'governed.imported': ['run', () => 'a run was taken over'],
  'run.initialized': ['run', ({ run_id }) => `the run ${text(run_id)} begins`],
  'run.blocked': [
    'stop',
    ({ blocked_on, detail }) => `blocked: ${stopText(text(blocked_on), text(detail))}${more(detail)}`,
  ],
  'run.escalated': ['stop', ({ reason, detail }) => `escalated: ${text(reason)}${more(detail)}`],
  'run.resolved': ['stop', ({ note, action }, by) => `${by} resolved it${more(note ?? action)}`],
  'run.answered': ['stop', ({ answer, note }, by) => `${by} answered${more(answer ?? note)}`],
  'turn.assigned': ['turn', ({ turn_id, role }) => `${text(turn_id)} is for ${text(role)}`],
  'turn.dispatched': ['turn', ({ turn_id }) => `${text(turn_id)} is out`],
  'turn.progress': ['turn', ({ turn_id, text: words }) => `${text(turn_id)} goes on${more(words)}`],
  'turn.result': ['turn', ({ turn_id, result }, by) => `${by} hands in ${text(turn_id)}${more(summaryIn(result))}`],
  'turn.accepted': [
    'turn',
    ({ turn_id, result }) => `${text(turn_id)} is accepted${more(summaryIn(result))}${asks(result)}`,
  ],
  'turn.rejected': ['turn', ({ turn_id, reason }) => `${text(turn_id)} is sent back${more(reason)}`],
  'gate.approved': ['gate', ({ gate, note }, by) => `${by} approved the gate ${text(gate)}${more(note)}`],
  'gate.refused': ['gate', ({ gate, reason }, by) => `${by} refused the gate ${text(gate)}${more(reason)}`],
  'hook.results': ['run', () => 'hooks have run'],
  'lease.taken': ['run', (_, by) => `${by} runs it`],
  'lease.released': ['run', (_, by) => `${by} runs it no more`],
};

function summaryIn(result: Json | undefined): Json | undefined {
  return isPlainObject(result) ? result.summary : undefined;
}

/** A turn may end with a question to a person, with what stands in its way, or with the wish to go on. */
function asks(result: Json | undefined): string {
  if (!isPlainObject(result)) return '';
  const { status, needs_human_reason, phase_transition_request: phase, run_completion_request } = result;
  if (status === 'needs_human') return `; a person is asked${more(needs_human_reason)}`;
  if (status === 'blocked') return `; it is blocked${more(needs_human_reason)}`;
  if (typeof phase === 'string' && phase !== '') return `; asks for ${phase}`;
  return run_completion_request === true ? '; asks to complete the run' : '';
}

/** An acceptance by which the run stands still. */
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
