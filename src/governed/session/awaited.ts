/** What a run waits for that is nobody's turn: somebody who may approve. It names what the project does, and nothing anybody said. */

import type { Awaited } from '../../core/records/session/envelope.ts';
import type { RunState } from '../run/state.ts';

/** Of the name of a gate; a line has room for so much. */
const MOST_NAME = 64;

export function awaitedOf(run: RunState): Pick<Awaited, 'text' | 'grant'> | null {
  const text = wordsOf(run);
  return text === null ? null : { text, grant: 'approve' };
}

function wordsOf({ status, blocked_on, pending_phase_transition, pending_run_completion }: RunState): string | null {
  if (status === 'blocked') {
    return isQuestion(blocked_on) ? 'a question waits for an answer' : 'a blocked run waits for an answer';
  }
  const pending = status === 'paused' ? (pending_phase_transition ?? pending_run_completion) : null;
  if (pending === null) return null;
  return `${pending.gate === null ? 'a gate' : `gate ${shortName(pending.gate)}`} waits for approval`;
}

function isQuestion(blockedOn: string | null): boolean {
  return blockedOn?.startsWith('human:') === true;
}

/** On one line, and never cut within a character. */
function shortName(name: string): string {
  const characters = [...name.replace(/\p{Cc}/gu, ' ')];
  return characters.length <= MOST_NAME ? characters.join('') : `${characters.slice(0, MOST_NAME - 1).join('')}…`;
}
