/** The two ends of waiting. */

import type { AdapterWaited } from '../../../governed/drivers/attempt/driver.ts';
import { type AdapterErrorClass, type AdapterFailure, type FailureDetails, failureOf } from '../../../governed/drivers/attempt/failure.ts';

export function completed(data: unknown): AdapterWaited {
  return { status: 'completed', data };
}

export function failedWith(failure: AdapterFailure): AdapterWaited {
  return { status: 'failed', data: null, reason: failure.reason, failure };
}

export function failed(error_class: AdapterErrorClass, detail: string, more: FailureDetails = {}): AdapterWaited {
  return failedWith(failureOf(error_class, detail, more));
}

export function notDispatched(turnId: string): AdapterWaited {
  return failed('not_dispatched', `${turnId} was not dispatched with this adapter`);
}
