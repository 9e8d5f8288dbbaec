/** What is made of a hook's end. The order of the cases is the order of the decision. */

import type { HookAction, HookAnswer, HookMode, Verdict } from './hook.ts';
import { readAnswer } from '../../hooks/output.ts';

/** How a hook ended, as far as its decision goes. */
export type HookEnd =
  | { readonly kind: 'tampered'; readonly paths: readonly string[] }
  | { readonly kind: 'timed_out'; readonly problem: string }
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'answered'; readonly text: string };

export interface HookDecision {
  readonly verdict: Verdict | null;
  readonly action: HookAction;
  readonly message: string | null;
  readonly annotations: HookAnswer['annotations'];
}

export function decideHook(mode: HookMode, end: HookEnd): HookDecision {
  switch (end.kind) {
    case 'tampered':
      return told(null, 'aborted_tamper', `changed ${end.paths.join(', ')}, which was put back`);
    case 'timed_out':
      return mode === 'blocking'
        ? told('block', 'blocked_timeout', end.problem)
        : told('warn', 'warned_timeout', end.problem);
    case 'failed':
      return mode === 'blocking'
        ? told('block', 'blocked_failure', end.problem)
        : told('warn', 'warned_failure', end.problem);
    case 'answered':
      return answered(mode, readAnswer(end.text));
  }
}

function answered(mode: HookMode, answer: HookAnswer | string): HookDecision {
  if (typeof answer === 'string') {
    return mode === 'blocking'
      ? told('block', 'blocked_invalid_output', answer)
      : told('warn', 'warned_invalid_output', answer);
  }
  const { message, annotations } = answer;
  switch (answer.verdict) {
    case 'allow':
      return { ...told('allow', 'continued', message), annotations };
    case 'warn':
      return { ...told('warn', 'warned', message), annotations };
    case 'block':
      return mode === 'blocking'
        ? { ...told('block', 'blocked', message), annotations }
        : { ...told('warn', 'downgraded_block_to_warn', message), annotations };
  }
}

function told(verdict: Verdict | null, action: HookAction, message: string | null): HookDecision {
  return { verdict, action, message, annotations: [] };
}
