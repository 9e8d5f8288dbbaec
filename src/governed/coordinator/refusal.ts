/** How a coordinator says no. */

export type CoordinatorErrorType =
  | 'projection_failed'
  | 'cross_repo_write_violation'
  | 'gate_not_ready'
  | 'invalid_state_transition';

export interface CoordinatorRefusal {
  readonly ok: false;
  readonly error_type: CoordinatorErrorType;
  /** Why exactly. */
  readonly error_code: string;
  readonly error: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export function refused(
  error_type: CoordinatorErrorType,
  error_code: string,
  error: string,
  params: Readonly<Record<string, unknown>> = {},
): CoordinatorRefusal {
  return { ok: false, error_type, error_code, error, params };
}
