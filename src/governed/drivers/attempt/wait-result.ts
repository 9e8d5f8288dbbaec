/** A driver that waits once for each dispatched turn, and the ends of waiting: a result, a failure, a deadline that passed. */

import { findJsonObject } from '../../../core/lib/json.ts';
import type { Clock } from '../../../core/ports/platform.ts';
import type { TurnResult } from '../../engine/index.ts';
import { isMissing, isNonEmptyText, isRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { REQUIRED_FIELDS } from '../../engine/turn-result/result.ts';
import type { DispatchBundle, DriverWaitResult, RuntimeDriver } from './driver.ts';
import { type AdapterErrorClass, type DriverFailure, type FailureDetails, failureOf, refuse } from './failure.ts';

interface BuiltInDriver<Out> {
  readonly name: string;
  readonly timeoutMs: number | undefined;
  /** Prepares what `wait` needs to know of the bundle. */
  dispatch(bundle: DispatchBundle): Promise<Out>;
  wait(out: Out, timeoutMs: number, signal: AbortSignal | undefined): Promise<DriverWaitResult>;
  readonly collect?: (data: unknown) => TurnResult;
}

export function builtInDriver<Out extends object>(driver: BuiltInDriver<Out>): RuntimeDriver {
  const { name, timeoutMs, collect = collected } = driver;
  const dispatched = new Map<string, Out>();
  return {
    name,
    timeoutMs,
    async dispatch(bundle) {
      dispatched.set(bundle.turn_id, await driver.dispatch(bundle));
    },
    async wait(turnId, limitMs, signal) {
      const out = dispatched.get(turnId);
      if (out === undefined) {
        return failed('not_dispatched', `${turnId} was not dispatched with this adapter`);
      }
      dispatched.delete(turnId);
      return driver.wait(out, limitMs, signal);
    },
    collect: async (_, data) => collect(data),
  };
}

export function completed(data: unknown): DriverWaitResult {
  return { status: 'completed', data };
}

export function failedWith(failure: DriverFailure): DriverWaitResult {
  return { status: 'failed', data: null, reason: failure.reason, failure };
}

export function failed(error_class: AdapterErrorClass, detail: string, more: FailureDetails = {}): DriverWaitResult {
  return failedWith(failureOf(error_class, detail, more));
}

/** null = there is none. A result names the version of its schema; whatever else is JSON is something else. */
export function findTurnResult(said: unknown): UnknownRecord | null {
  const found = typeof said === 'string' ? findJsonObject(said) : said;
  return isRecord(found) && isNonEmptyText(found.schema_version) ? found : null;
}

export function missingFields(result: UnknownRecord): readonly string[] {
  return REQUIRED_FIELDS.filter((name) => isMissing(result[name]));
}

/** What was collected, as the run will judge it. */
export function collected(data: unknown): TurnResult {
  if (!isRecord(data)) return refuse('invalid_result', 'expected a turn result, an object');
  // A claim: the stages of the run look at every member.
  return data as unknown as TurnResult;
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** null = neither. */
  readonly endedBy: 'timeout' | 'caller' | null;
  /** Rejects when it is over, so that also those are not waited for who do not listen. */
  race<T>(work: Promise<T>): Promise<T>;
  close(): void;
}

export function deadlineOf(clock: Pick<Clock, 'after'>, timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const abort = new AbortController();
  let endedBy: Deadline['endedBy'] = null;
  const over = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => reject(new Error('the time is over')), { once: true });
  });
  // Nobody may be waiting when it is.
  over.catch(() => {});
  const end = (by: 'timeout' | 'caller'): void => {
    endedBy ??= by;
    abort.abort();
  };
  const onCaller = (): void => end('caller');
  const stop = clock.after(timeoutMs, () => end('timeout'));
  caller?.addEventListener('abort', onCaller, { once: true });
  if (caller?.aborted) onCaller();
  return {
    signal: abort.signal,
    get endedBy() {
      return endedBy;
    },
    race(work) {
      // What comes of it when nobody waits any more is nobody's error.
      work.catch(() => {});
      return Promise.race([work, over]);
    },
    close() {
      stop();
      caller?.removeEventListener('abort', onCaller);
    },
  };
}
