/** What is wrong with a config. */

export type ConfigErrorType =
  | 'schema_version_invalid'
  | 'undeclared_runtime_reference'
  | 'undeclared_role_reference'
  | 'undeclared_gate_reference'
  | 'invalid_config';

export interface ConfigFault {
  readonly error_type: ConfigErrorType;
  readonly error_field: string;
  readonly message: string;
  readonly referenced_runtime?: string;
  readonly referenced_role?: string;
  readonly referenced_gate?: string;
  readonly expected_version?: string;
  readonly actual_version?: unknown;
}

export function invalid(error_field: string, expected: string): ConfigFault {
  return { error_type: 'invalid_config', error_field, message: `${error_field}: expected ${expected}` };
}
