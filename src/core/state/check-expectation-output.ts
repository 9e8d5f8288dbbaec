/** Checks the untrusted output of evaluators and handlers; a wrong shape is their defect, reported by name. */

import { HubError } from '../lib/errors.ts';
import { describeValue, isWellFormed } from '../lib/json.ts';
import { isTime } from '../lib/time.ts';
import type { Evaluator, HandlerEffect, ViolationHandler, Wait } from '../ports/expectation.ts';
import { participantOf, type SessionMetadata } from '../records/session/session.ts';

/** Maximum length of a description: enough for every participant's name with some text. */
const MAX_DETAIL = 65_536;
const MAX_REASON = 256;

/** Checks only that it is a list: this runs after every envelope. */
export function checkList({ name }: Evaluator, waits: readonly Wait[]): readonly Wait[] {
  return listOf(waits, () => evaluatorDefect(name, 'waits must give a list', waits)) as readonly Wait[];
}

/** Checks every wait. Each agent, and the session itself, may have only one. */
export function checkWaits({ name }: Evaluator, waits: readonly Wait[], metadata: SessionMetadata): readonly Wait[] {
  const seen = new Set<unknown>();
  for (const wait of waits) {
    if (!isObject(wait)) throw evaluatorDefect(name, 'a wait is an object', wait);
    const { agent_id, since_seq, since_ms, due_ms } = wait;
    const isKnown = agent_id === null || (typeof agent_id === 'string' && participantOf(metadata, agent_id));
    if (!isKnown) throw evaluatorDefect(name, 'agent_id must be a participant or null', agent_id);
    if (seen.has(agent_id)) throw evaluatorDefect(name, 'each has one wait at most', [agent_id, agent_id]);
    seen.add(agent_id);
    const isSeq = Number.isInteger(since_seq) && Number(since_seq) >= 1 && Number(since_seq) <= metadata.head_seq;
    if (!isSeq) throw evaluatorDefect(name, 'since_seq must be a seq of the session', since_seq);
    if (!isTime(since_ms)) throw evaluatorDefect(name, 'since_ms must be a time', since_ms);
    if (!isTime(due_ms)) throw evaluatorDefect(name, 'due_ms must be a time', due_ms);
    if (due_ms < since_ms) throw evaluatorDefect(name, `due_ms must not be before since_ms (${since_ms})`, due_ms);
  }
  return waits;
}

export function checkDetail({ name }: Evaluator, detail: unknown): string {
  if (typeof detail === 'string' && detail.length <= MAX_DETAIL && isWellFormed(detail)) return detail;
  ignoreRejection(detail);
  throw evaluatorDefect(name, `describe must give text of at most ${MAX_DETAIL} characters`, detail);
}

export function checkEffects({ name }: ViolationHandler, effects: unknown): readonly HandlerEffect[] {
  for (const effect of listOf(effects, () => handlerDefect(name, 'act must give a list', effects))) {
    if (!isObject(effect)) throw handlerDefect(name, 'an effect is an object', effect);
    const { kind, to, agent_id, reason } = effect;
    switch (kind) {
      case 'deliver':
        if (to === 'violators' || to === 'everyone') break;
        throw handlerDefect(name, 'it is delivered to violators or everyone', to);
      case 'hide':
      case 'remove':
        if (typeof agent_id === 'string') break;
        throw handlerDefect(name, `${kind} needs an agent_id`, agent_id);
      case 'close':
        if (isReason(reason)) break;
        throw handlerDefect(name, `close needs a reason of 1 to ${MAX_REASON} characters, none for control`, reason);
      default:
        throw handlerDefect(name, 'an effect is deliver, hide, remove or close', kind);
    }
  }
  return effects as readonly HandlerEffect[];
}

/** Rejects control characters, because reasons are shown in logs and to people. */
function isReason(value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || value.length > MAX_REASON) return false;
  return isWellFormed(value) && !/\p{Cc}/u.test(value);
}

/** Prevents an unhandled rejection if a synchronous extension returns a promise. */
export function ignoreRejection(value: unknown): void {
  if (value instanceof Promise) value.catch(() => {});
}

function listOf(value: unknown, defect: () => HubError): readonly unknown[] {
  if (Array.isArray(value)) return value;
  ignoreRejection(value);
  throw defect();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function evaluatorDefect(name: string, expected: string, received: unknown): HubError {
  return new HubError('bad_evaluator', `${name}: ${expected}, got ${describeValue(received)}`);
}

function handlerDefect(name: string, expected: string, received: unknown): HubError {
  return new HubError('bad_handler', `${name}: ${expected}, got ${describeValue(received)}`);
}
