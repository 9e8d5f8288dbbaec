/** How a session is asked for: a list of names, or options in the caller's words. */

import { badValue, type JsonObject } from '../core/lib/json.ts';
import type { CreateParams } from '../core/operations.ts';
import { checkOptions, isObject, names, type Rules } from './lib/option-checks.ts';
import { CALL_OPTIONS, type CallOptions } from './connection/requests.ts';

export interface OpenOptions extends CallOptions {
  /** Names, ids, or `{ capability }` for whoever offers it; you are put first unless you are listed. */
  readonly participants: CreateParams['participants'];
  readonly version?: number | undefined;
  readonly knobs?: JsonObject | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly intent?: string | undefined;
  readonly expectations?: CreateParams['expectations'];
  readonly requiredAcks?: number | undefined;
  readonly ttl?: CreateParams['ttl'];
  readonly inviteTimeout?: CreateParams['ttl'];
  readonly drainTimeout?: CreateParams['ttl'];
  readonly parentSessionId?: string | undefined;
  /** The idempotency key: the same key opens one session. */
  readonly key?: string | undefined;
  /** active = when enough have joined (default); created = at once. */
  readonly wait?: 'active' | 'created' | undefined;
}

const OPEN_OPTIONS: Rules<OpenOptions> = {
  ...CALL_OPTIONS,
  participants: names,
  version: null,
  knobs: null,
  labels: null,
  intent: null,
  expectations: null,
  requiredAcks: null,
  ttl: null,
  inviteTimeout: null,
  drainTimeout: null,
  parentSessionId: null,
  key: null,
  wait: null,
};

export function creation(type: string, wanted: unknown): { params: CreateParams; call: CallOptions } {
  const options = openOptions(wanted);
  const params: CreateParams = {
    type,
    version: options.version,
    participants: options.participants,
    knobs: options.knobs,
    labels: options.labels,
    intent: options.intent,
    expectations: options.expectations,
    required_acks: options.requiredAcks,
    ttl: options.ttl,
    invite_timeout: options.inviteTimeout,
    drain_timeout: options.drainTimeout,
    parent_session_id: options.parentSessionId,
    idempotency_key: options.key,
    wait: options.wait,
  };
  return { params, call: { deadlineMs: options.deadlineMs } };
}

function openOptions(wanted: unknown): OpenOptions {
  const options = Array.isArray(wanted) ? { participants: wanted } : wanted;
  if (!isObject(options)) throw badValue('participants', 'a list of names, or options with participants', wanted);
  checkOptions(options, OPEN_OPTIONS);
  // What the options hold is for the hub to say.
  return options as unknown as OpenOptions;
}
