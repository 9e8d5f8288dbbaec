/** Failures of runner calls: thrown inside, returned as `{ok: false}` outside. */

import { asError, HubError, WireError } from '../../../core/lib/errors.ts';
import type { Refused } from '../../engine/index.ts';
import { isRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { FileRefusal } from '../../files/safe-path.ts';
import type { HooksRun } from '../../hooks/run-hooks.ts';
import type { RunnerFailure } from './types.ts';

export class RunnerRefusal extends Error {
  readonly failure: RunnerFailure;

  constructor(error_code: string, error: string, more: Partial<RunnerFailure> = {}) {
    super(error);
    this.name = 'RunnerRefusal';
    this.failure = { ...more, ok: false, error, error_code };
  }
}

export async function orFailure<T>(perform: () => Promise<T>): Promise<T | RunnerFailure> {
  try {
    return await perform();
  } catch (thrown) {
    return failureOf(thrown);
  }
}

export function failureOf(thrown: unknown): RunnerFailure {
  if (thrown instanceof RunnerRefusal) return thrown.failure;
  if (thrown instanceof WireError) return refusedByLog(thrown);
  const error = asError(thrown);
  if (error instanceof FileRefusal) return { ok: false, error: error.message, error_code: error.code };
  // Report a log held by another process like a held lock.
  const isHeld = error instanceof HubError && error.code === 'data_in_use';
  return { ok: false, error: error.message, error_code: isHeld ? 'lock_timeout' : 'io_error' };
}

function refusedByLog({ code, message, details = {} }: WireError): RunnerFailure {
  const { error_type, error_code, ...params } = details;
  if (typeof error_code === 'string' && typeof error_type === 'string') {
    return failed({ error_type, error_code, detail: message, params });
  }
  // A session closes only when its run has ended.
  const isOver = code === 'session_closed';
  const more = isOver ? { error_type: 'invalid_state_transition' } : {};
  return { ok: false, error: message, error_code: isOver ? 'wrong_status' : code, ...more, details: { ...details } };
}

/** Refusal types that are used as the error code; `details.reason` has the exact code. */
const NAMED_BY_TYPE = ['override_validation_failed', 'artifact_mismatch', 'conflict', 'duplicate_decision_id'];

interface Refusal {
  readonly error_type: string;
  readonly error_code: string;
  readonly detail: string;
  readonly params: UnknownRecord;
}

function failed({ error_type, error_code, detail, params }: Refusal): RunnerFailure {
  const isNamed = NAMED_BY_TYPE.includes(error_type);
  const details = isNamed ? { ...params, reason: error_code } : params;
  return { ok: false, error: detail, error_code: isNamed ? error_type : error_code, error_type, details };
}

export function refusalOf(refused: Refused): RunnerRefusal {
  const { error, error_code, ...more } = failed(refused);
  return new RunnerRefusal(error_code, error, more);
}

export function requireHooksPassed({ ok, error, error_code, blocker, results }: HooksRun, phase: string): void {
  if (ok) return;
  const said = blocker?.message ?? error ?? 'it gave no reason';
  const who = blocker === undefined ? `hooks of ${phase}` : `the hook ${blocker.hook_name} (${phase})`;
  throw new RunnerRefusal(error_code ?? 'hook_blocked', `${who} stopped this: ${said}`, { hookResults: results });
}

export function badArgument(name: string, expected: string, value: unknown): RunnerRefusal {
  const came = isRecord(value) ? 'an object' : (JSON.stringify(value) ?? String(value));
  return new RunnerRefusal('bad_argument', `${name}: expected ${expected}, got ${came}`, {
    details: { field: name, expected },
  });
}
