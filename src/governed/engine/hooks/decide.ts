/** Decides how the operation proceeds after the outcome of a hook. */

import { ROLE_ID } from '../lib/patterns.ts';
import { isMissing, isOneOf, isRecord, isTextOrNothing, parseJson } from '../lib/unknown-record.ts';
import { type Annotation, type HookAction, type HookAnswer, type HookMode, VERDICTS, type Verdict } from './hook.ts';

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
      return decision(null, 'aborted_tamper', `changed ${end.paths.join(', ')}, which was put back`);
    case 'timed_out':
      return unusable(mode, 'timeout', end.problem);
    case 'failed':
      return unusable(mode, 'failure', end.problem);
    case 'answered':
      return answered(mode, readAnswer(end.text));
  }
}

const ACTIONS = { allow: 'continued', warn: 'warned', block: 'blocked' } as const;

function answered(mode: HookMode, answer: HookAnswer | string): HookDecision {
  if (typeof answer === 'string') return unusable(mode, 'invalid_output', answer);
  const { verdict, message, annotations } = answer;
  const isDowngraded = verdict === 'block' && mode !== 'blocking';
  return isDowngraded
    ? decision('warn', 'downgraded_block_to_warn', message, annotations)
    : decision(verdict, ACTIONS[verdict], message, annotations);
}

/** Without a usable answer, a blocking hook blocks and an advisory hook warns. */
function unusable(mode: HookMode, why: 'timeout' | 'failure' | 'invalid_output', problem: string): HookDecision {
  return mode === 'blocking'
    ? decision('block', `blocked_${why}`, problem)
    : decision('warn', `warned_${why}`, problem);
}

function decision(
  verdict: Verdict | null,
  action: HookAction,
  message: string | null,
  annotations: HookAnswer['annotations'] = [],
): HookDecision {
  return { verdict, action, message, annotations };
}

const MAX_ANNOTATIONS = 16;
const MAX_ANNOTATION_CHARS = 1_000;

/** Returns the error as a string if the answer is invalid. */
function readAnswer(text: string): HookAnswer | string {
  const given = parseJson(text);
  if (!isRecord(given)) return 'output: expected one JSON object';
  const { verdict, message, annotations } = given;
  if (!isOneOf(VERDICTS, verdict)) return `verdict: expected one of ${VERDICTS.join(', ')}`;
  if (!isTextOrNothing(message)) return 'message: expected a text';
  if (isMissing(annotations)) return { verdict, message: message ?? null, annotations: [] };
  if (!Array.isArray(annotations) || annotations.length > MAX_ANNOTATIONS) {
    return `annotations: expected a list of at most ${MAX_ANNOTATIONS}`;
  }
  const wrong = annotations.findIndex((one) => !isAnnotation(one));
  if (wrong !== -1) {
    return `annotations[${wrong}]: expected {key, value}, a key of a-z, 0-9, _ and -, a value of at most ${MAX_ANNOTATION_CHARS} characters`;
  }
  return { verdict, message: message ?? null, annotations: annotations.map(({ key, value }) => ({ key, value })) };
}

function isAnnotation(value: unknown): value is Annotation {
  if (!isRecord(value) || typeof value.key !== 'string' || typeof value.value !== 'string') return false;
  return ROLE_ID.test(value.key) && value.value.length <= MAX_ANNOTATION_CHARS;
}

export type TamperCode =
  | 'hook_state_tamper'
  | 'hook_history_tamper'
  | 'hook_ledger_tamper'
  | 'hook_audit_tamper'
  | 'hook_bundle_tamper'
  | 'hook_protected_tamper';

const CODES: readonly (readonly [RegExp, TamperCode])[] = [
  [/^\.agentxchain(\/state\.json)?$/, 'hook_state_tamper'],
  [/^\.agentxchain\/history\.jsonl$/, 'hook_history_tamper'],
  [/^\.agentxchain\/decision-ledger\.jsonl$/, 'hook_ledger_tamper'],
  [/(^|\/)hook-(audit|annotations)\.jsonl$/, 'hook_audit_tamper'],
  [/^\.agentxchain\/dispatch\//, 'hook_bundle_tamper'],
];

/** Returns the code of the first matching pattern; the table lists the most severe first. */
export function tamperCode(paths: readonly string[]): TamperCode {
  return CODES.find(([pattern]) => paths.some((path) => pattern.test(path)))?.[1] ?? 'hook_protected_tamper';
}
