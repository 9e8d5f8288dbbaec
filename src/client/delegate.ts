/** How a delegation is asked for, and waited for. */

import type { DelegateAnswer, DelegateParams } from '../core/records/work/delegation.ts';
import { checkOptions, type Rules } from './lib/option-checks.ts';
import { WAIT_OPTIONS, type WaitOptions } from './lib/inbox.ts';
import { CALL_OPTIONS, type CallOptions } from './connection/requests.ts';
import type { Room } from './session/local-session.ts';

export interface DelegateOptions extends CallOptions, WaitOptions {
  /** How much it may spend; where the session has a budget, a part of that. */
  readonly budget?: DelegateParams['budget'];
  /** How long the target may take to join, and then to reply: "30s", "15m", seconds. */
  readonly timeout?: DelegateParams['timeout'];
  /** reply = when it is settled (default); opened = as soon as it is under way. */
  readonly wait?: DelegateParams['wait'];
  /** The idempotency key: the same key is one delegation, also after a restart. Made up unless given. */
  readonly key?: string | undefined;
}

const DELEGATE_OPTIONS: Rules<DelegateOptions> = {
  ...CALL_OPTIONS,
  ...WAIT_OPTIONS,
  budget: null,
  timeout: null,
  wait: null,
  key: null,
};

export async function delegation(
  { id, host }: Room,
  target: DelegateParams['target'],
  prompt: string,
  options: DelegateOptions,
): Promise<DelegateAnswer> {
  checkOptions(options, DELEGATE_OPTIONS);
  const { budget, timeout, wait, key = host.ids.hex32(), deadlineMs, signal } = options;
  if (signal?.aborted === true) throw signal.reason;
  const params = { session_id: id, target, prompt, budget, timeout, wait, idempotency_key: key };
  return unlessAborted(host.call('delegate', params, { deadlineMs }), signal);
}

function unlessAborted<T>(answer: Promise<T>, signal: WaitOptions['signal']): Promise<T> {
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
