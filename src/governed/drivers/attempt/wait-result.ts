/** Builds drivers that wait once per dispatched turn; defines the results, failures and deadline of a wait. */

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
      if (out === undefined) return failed('not_dispatched', `${turnId} was not dispatched by this driver`);
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

/** Returns null if there is no turn result, which is JSON with a schema version. */
export function findTurnResult(said: unknown): UnknownRecord | null {
  const found = typeof said === 'string' ? findJsonObject(said) : said;
  return isRecord(found) && isNonEmptyText(found.schema_version) ? found : null;
}

export function missingFields(result: UnknownRecord): readonly string[] {
  return REQUIRED_FIELDS.filter((name) => isMissing(result[name]));
}

export function collected(data: unknown): TurnResult {
  if (!isRecord(data)) return refuse('invalid_result', 'expected a turn result, an object');
  // Unchecked cast: the run validates every member.
  return data as unknown as TurnResult;
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** null while the wait is running. */
  readonly endedBy: 'timeout' | 'caller' | null;
  /** Rejects at the deadline, even if the work ignores the signal. */
  race<T>(work: Promise<T>): Promise<T>;
  close(): void;
}

export function deadlineOf(clock: Pick<Clock, 'after'>, timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const abort = new AbortController();
  let endedBy: Deadline['endedBy'] = null;
  const over = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => reject(new Error('the deadline passed')), { once: true });
  });
  // Avoid an unhandled rejection while no race is pending.
  over.catch(() => {});
  const end = (by: 'timeout' | 'caller'): void => {
    endedBy ??= by;
    abort.abort();
  };
  const cancel = (): void => end('caller');
  const stop = clock.after(timeoutMs, () => end('timeout'));
  caller?.addEventListener('abort', cancel, { once: true });
  if (caller?.aborted) cancel();
  return {
    signal: abort.signal,
    get endedBy() {
      return endedBy;
    },
    race(work) {
      // Avoid an unhandled rejection after the deadline.
      work.catch(() => {});
      return Promise.race([work, over]);
    },
    close() {
      stop();
      caller?.removeEventListener('abort', cancel);
    },
  };
}
