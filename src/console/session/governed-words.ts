/** What happens in a governed run, each in a line; more of it tells the panel. Pure. */

import { isPlainObject, type Json } from '../../core/json.ts';

type Data = Readonly<Record<string, Json | undefined>>;

export type GovernedMark = 'run' | 'turn' | 'gate' | 'stop';

export type GovernedWords = (data: Data, sender: string) => string;

export const GOVERNED: Readonly<Record<string, readonly [GovernedMark, GovernedWords]>> = {
  'governed.imported': ['run', () => 'a run was taken over'],
  'run.initialized': ['run', ({ run_id }) => `the run ${text(run_id)} begins`],
  'run.blocked': ['stop', ({ blocked_on, detail }) => `blocked on ${text(blocked_on)}${more(detail)}`],
  'run.escalated': ['stop', ({ reason, detail }) => `escalated: ${text(reason)}${more(detail)}`],
  'run.resolved': ['stop', ({ note, action }, by) => `${by} resolved it${more(note ?? action)}`],
  'run.answered': ['stop', ({ answer, note }, by) => `${by} answered${more(answer ?? note)}`],
  'turn.assigned': ['turn', ({ turn_id, role }) => `${text(turn_id)} is for ${text(role)}`],
  'turn.dispatched': ['turn', ({ turn_id }) => `${text(turn_id)} is out`],
  'turn.progress': ['turn', ({ turn_id, text: words }) => `${text(turn_id)} goes on${more(words)}`],
  'turn.result': ['turn', ({ turn_id, result }, by) => `${by} hands in ${text(turn_id)}${more(summaryIn(result))}`],
  'turn.accepted': ['turn', ({ turn_id, result }) => `${text(turn_id)} is accepted${more(summaryIn(result))}`],
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

function more(words: Json | undefined): string {
  return typeof words === 'string' && words !== '' ? `: ${words}` : '';
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '(unnamed)';
}
