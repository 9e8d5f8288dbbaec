/** Why an attempt failed: one class of the protocol for each cause, with what may be shown of it. */

import { asError } from '../../../core/lib/errors.ts';
import type { FailureClass } from '../../../participants/agent/agent-error.ts';
import { redactSecrets } from '../../../participants/lib/redact-secrets.ts';

/** transient: another try may do. permanent: somebody has to change something first. parse: something came, and is no result. */
const CLASSES = {
  aborted: ['transient', 'It was cancelled; dispatch the turn again when it is wanted.'],
  timeout: ['transient', 'Dispatch it again, or give it more time (timeout_ms, --timeout).'],
  bundle_refused: [
    'permanent',
    'The bundle is not what was sealed: find out who changed it, then write and seal it again.',
  ],
  bundle_unreadable: ['permanent', 'Write the dispatch bundle again.'],
  bad_settings: ['permanent', 'Correct the runtime in the config.'],
  unset_variable: ['permanent', 'Set the variable where the runner is started.'],
  unknown_adapter: ['permanent', 'Name one of the built-in types, or one under adapters.'],
  not_dispatched: ['permanent', 'dispatch comes before wait.'],
  io_error: ['permanent', 'Look at the disk and its permissions, then dispatch the turn again.'],
  spawn_failed: ['permanent', 'Install the command, or correct its path in the config.'],
  process_exit: ['permanent', 'Look at the kept output of the command, then dispatch the turn again.'],
  process_killed: ['transient', 'Somebody else ended the command; dispatch the turn again.'],
  no_output: ['transient', 'The command showed no sign of life; try it by hand, or give it more time.'],
  output_limit: ['permanent', 'Let the command write less, or raise max_output_bytes.'],
  no_result: ['parse', 'Whoever does the turn has to write its result to the staging path.'],
  invalid_result: ['parse', 'The staged file has to be one whole JSON object.'],
  missing_credentials: ['permanent', 'Set the variable that api_key_env names.'],
  auth_failure: ['permanent', 'Check the key: it is missing, wrong or may not do this.'],
  model_not_found: ['permanent', 'Check the name of the model and base_url.'],
  invalid_request: ['permanent', 'The service does not take what it was asked; its words are in the detail.'],
  context_overflow: ['permanent', 'The prompt is too long for the model: choose another one, or say less.'],
  rate_limited: ['transient', 'Wait, and dispatch the turn again.'],
  spend_limit: ['permanent', 'A limit on money is reached: raise it at the service, or wait for its next period.'],
  provider_overloaded: ['transient', 'The service has too much to do; dispatch the turn again later.'],
  network_failure: ['transient', 'The service cannot be reached; check the address and the network.'],
  unknown_api_error: ['transient', 'The service failed; dispatch the turn again later.'],
  response_parse_failure: ['parse', 'What the service answered cannot be read; check base_url.'],
  response_too_large: ['permanent', 'The answer is larger than a result may be.'],
  turn_result_extraction_failure: [
    'parse',
    'The answer holds no turn result; a stronger model or a clearer prompt may help.',
  ],
  model_refused: ['permanent', 'The model will not do this; change the prompt or the model.'],
  unsupported_provider: ['permanent', 'Name a known provider, or set base_url to an OpenAI-compatible API.'],
  redirected: ['permanent', 'Set the address that it redirects to, if it is to be trusted.'],
  tool_not_found: ['permanent', 'Set tool_name to a tool that the server has.'],
  tool_failed: ['permanent', 'The tool says why; the server may have to be mended.'],
  protocol_error: ['permanent', 'The server does not speak MCP as it should.'],
  module_unusable: ['permanent', 'The module has to export a class or an object with dispatch, wait and collect.'],
  adapter_failed: ['transient', 'The adapter says why.'],
  adapter_threw: ['permanent', 'The adapter is at fault; its error is in the detail.'],
} as const;

export type AdapterErrorClass = keyof typeof CLASSES;

export interface DriverFailure {
  /** In a word, for the books: `timeout`, `exit_code`; mostly the class itself. */
  readonly reason: string;
  readonly error_class: AdapterErrorClass;
  readonly category: FailureClass;
  /** For people, without secrets. */
  readonly detail: string;
  readonly recovery: string;
  /** Trying it again as it is will not help: the run waits for somebody. */
  readonly blocked: boolean;
  readonly http_status?: number | undefined;
  readonly exit_code?: number | undefined;
  readonly signal?: string | undefined;
  readonly retry_after_ms?: number | undefined;
  /** What a call of a model came to all the same. */
  readonly adapter_meta?: object | undefined;
  /** The tries before the last one, each with what was wrong. */
  readonly tries?: readonly string[] | undefined;
}

export interface FailureDetails
  extends Partial<Omit<DriverFailure, 'error_class' | 'detail' | 'recovery' | 'blocked' | 'category'>> {
  readonly secrets?: readonly string[] | undefined;
}

const MAX_DETAIL_CHARS = 2_000;

export function failureOf(error_class: AdapterErrorClass, detail: string, more: FailureDetails = {}): DriverFailure {
  const { secrets = [], reason = error_class } = more;
  const [category, recovery]: readonly [FailureClass, string] = CLASSES[error_class];
  // Before anything is cut: half a secret is not found.
  const shown = redactSecrets(detail, secrets);
  return {
    reason,
    error_class,
    category,
    detail: shown.length > MAX_DETAIL_CHARS ? `${shown.slice(0, MAX_DETAIL_CHARS - 1)}…` : shown,
    recovery,
    blocked: category === 'permanent',
    ...told(more),
  };
}

const TOLD = ['http_status', 'exit_code', 'signal', 'retry_after_ms', 'adapter_meta', 'tries'] as const;

/** By name: what else is at hand, such as headers, is nobody's to see. */
function told(more: FailureDetails): Partial<DriverFailure> {
  return Object.fromEntries(TOLD.flatMap((name) => (more[name] === undefined ? [] : [[name, more[name]]])));
}

/** Thrown inside, told as an outcome to whoever runs a turn. */
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

/** The reason is often one further down: fetch itself only says that it failed. */
export function reasonOf(thrown: unknown): string {
  const error = asError(thrown);
  if (error.cause === undefined) return error.message;
  const cause = asError(error.cause);
  return `${error.message}: ${cause.message || cause.name}`;
}

/** Without what a person may have written into it. */
export function displayUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

export function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** What may be secret in an address. */
export function secretsInUrl(url: string): readonly string[] {
  const { password, searchParams } = new URL(url);
  return [password, ...searchParams.values()].filter(({ length }) => length >= 4);
}
