/** Builds failures of an attempt: protocol class, category, and a detail without secrets. */

import { asError } from '../../../core/lib/errors.ts';
import type { FailureClass } from '../../../participants/agent/agent-error.ts';
import { redactSecrets } from '../../../participants/lib/redact-secrets.ts';

/** transient: retrying may help. permanent: someone must change something first. parse: the answer is not a result. */
const CLASSES = {
  aborted: ['transient', 'The attempt was cancelled; dispatch the turn again when you want it.'],
  timeout: ['transient', 'Dispatch it again, or give it more time (timeout_ms, --timeout).'],
  bundle_refused: [
    'permanent',
    'The bundle changed after it was sealed: find the cause, then write and seal it again.',
  ],
  bundle_unreadable: ['permanent', 'Write the dispatch bundle again.'],
  bad_settings: ['permanent', 'Correct the runtime in the config.'],
  unset_variable: ['permanent', 'Set the variable in the environment of the runner.'],
  unknown_adapter: ['permanent', 'Name one of the built-in types, or one under adapters.'],
  not_dispatched: ['permanent', 'Call dispatch before wait.'],
  io_error: ['permanent', 'Check the disk and its permissions, then dispatch the turn again.'],
  spawn_failed: ['permanent', 'Install the command, or correct its path in the config.'],
  process_exit: ['permanent', 'Check the saved output of the command, then dispatch the turn again.'],
  process_killed: ['transient', 'Another process killed the command; dispatch the turn again.'],
  no_output: ['transient', 'The command wrote no output; run it by hand, or give it more time.'],
  output_limit: ['permanent', 'Make the command write less, or raise max_output_bytes.'],
  no_result: ['parse', 'Write the turn result to the staging path.'],
  invalid_result: ['parse', 'Stage one complete JSON object.'],
  missing_credentials: ['permanent', 'Set the variable that api_key_env names.'],
  auth_failure: ['permanent', 'Check the key: it is missing, wrong or lacks permission.'],
  model_not_found: ['permanent', 'Check the model name and base_url.'],
  invalid_request: ['permanent', 'The service rejected the request; the detail has its message.'],
  context_overflow: ['permanent', 'The prompt is too long for the model: choose another model, or shorten it.'],
  rate_limited: ['transient', 'Wait, and dispatch the turn again.'],
  spend_limit: ['permanent', 'A spending limit is reached: raise it at the service, or wait for its next period.'],
  provider_overloaded: ['transient', 'The service is overloaded; dispatch the turn again later.'],
  network_failure: ['transient', 'The service cannot be reached; check the address and the network.'],
  unknown_api_error: ['transient', 'The service failed; dispatch the turn again later.'],
  response_parse_failure: ['parse', 'The answer of the service cannot be parsed; check base_url.'],
  response_too_large: ['permanent', 'The answer exceeds the maximum size of a result.'],
  turn_result_extraction_failure: ['parse', 'The answer has no turn result; try a stronger model or a clearer prompt.'],
  model_refused: ['permanent', 'The model refused the task; change the prompt or the model.'],
  unsupported_provider: ['permanent', 'Name a known provider, or set base_url to an OpenAI-compatible API.'],
  redirected: ['permanent', 'Set the address it redirects to, if you trust it.'],
  tool_not_found: ['permanent', 'Set tool_name to a tool of the server.'],
  tool_failed: ['permanent', 'See the message of the tool; the server may need a fix.'],
  protocol_error: ['permanent', 'The server violates the MCP protocol.'],
  module_unusable: ['permanent', 'Export a class or an object with dispatch, wait and collect from the module.'],
  adapter_failed: ['transient', 'See the message of the adapter.'],
  adapter_threw: ['permanent', 'The adapter has a bug; the detail has its error.'],
} as const;

export type AdapterErrorClass = keyof typeof CLASSES;

export interface DriverFailure {
  /** Short code for the run files, such as `timeout` or `exit_code`; usually equal to `error_class`. */
  readonly reason: string;
  readonly error_class: AdapterErrorClass;
  readonly category: FailureClass;
  /** Contains no secrets. */
  readonly detail: string;
  readonly recovery: string;
  /** True if retrying will not help: the run then waits for an operator. */
  readonly blocked: boolean;
  readonly http_status?: number | undefined;
  readonly exit_code?: number | undefined;
  readonly signal?: string | undefined;
  readonly retry_after_ms?: number | undefined;
  readonly adapter_meta?: object | undefined;
  readonly tries?: readonly string[] | undefined;
}

export interface FailureDetails
  extends Partial<Omit<DriverFailure, 'error_class' | 'detail' | 'recovery' | 'blocked' | 'category'>> {
  readonly secrets?: readonly string[] | undefined;
}

const MAX_DETAIL_CHARS = 2_000;
export const CANCELLED = 'the caller cancelled the turn';

export function failureOf(error_class: AdapterErrorClass, detail: string, more: FailureDetails = {}): DriverFailure {
  const { secrets = [], reason = error_class } = more;
  const [category, recovery]: readonly [FailureClass, string] = CLASSES[error_class];
  // Redact before truncating, because a truncated secret is not recognised.
  const shown = redactSecrets(detail, secrets);
  const shared = SHARED.flatMap((name) => (more[name] === undefined ? [] : [[name, more[name]]]));
  return {
    reason,
    error_class,
    category,
    detail: shown.length > MAX_DETAIL_CHARS ? `${shown.slice(0, MAX_DETAIL_CHARS - 1)}…` : shown,
    recovery,
    blocked: category === 'permanent',
    ...Object.fromEntries(shared),
  };
}

/** Details copied by name, so that others, such as headers, cannot leak. */
const SHARED = ['http_status', 'exit_code', 'signal', 'retry_after_ms', 'adapter_meta', 'tries'] as const;

/** Thrown inside the drivers; `runTurnWithDriver` returns it as an outcome. */
export class DriverError extends Error {
  readonly failure: DriverFailure;

  constructor(failure: DriverFailure) {
    super(failure.detail);
    this.name = 'AdapterRefusal';
    this.failure = failure;
  }
}

export function refuse(error_class: AdapterErrorClass, detail: string, more: FailureDetails = {}): never {
  throw new DriverError(failureOf(error_class, detail, more));
}

export function classOfStatus(status: number): AdapterErrorClass {
  if (status >= 300 && status < 400) return 'redirected';
  if (status === 401 || status === 403) return 'auth_failure';
  if (status === 408) return 'network_failure';
  if (status === 429) return 'rate_limited';
  if (status === 503 || status === 529) return 'provider_overloaded';
  return status >= 500 ? 'unknown_api_error' : 'invalid_request';
}

/** Includes the cause, because the message of `fetch` says only that it failed. */
export function reasonOf(thrown: unknown): string {
  const error = asError(thrown);
  if (error.cause === undefined) return error.message;
  const cause = asError(error.cause);
  return `${error.message}: ${cause.message || cause.name}`;
}

/** Omits credentials and the query, which may be secret. */
export function displayUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

export function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

export function secretsInUrl(url: string): readonly string[] {
  const { password, searchParams } = new URL(url);
  return [password, ...searchParams.values()].filter(({ length }) => length >= 4);
}
