/** What the files of a run do not allow. Thrown inside, and told as `{ok: false}` to whoever asked. */

import { asError } from '../../core/lib/errors.ts';

export type FileCode =
  | 'unsafe_path'
  | 'bundle_missing'
  | 'bundle_empty'
  | 'turn_not_active'
  | 'not_a_file'
  | 'too_large'
  | 'hook_blocked'
  | 'io_error';

export interface NotDone {
  readonly ok: false;
  readonly error: string;
  readonly error_code: FileCode | `hook_${string}`;
}

export class FileRefusal extends Error {
  readonly code: FileCode;

  constructor(code: FileCode, message: string) {
    super(message);
    this.name = 'FileRefusal';
    this.code = code;
  }
}

/** Nothing is thrown at who drives a run: what a disk refuses is an outcome too. */
export async function orRefusal<T>(perform: () => Promise<T>): Promise<T | NotDone> {
  try {
    return await perform();
  } catch (thrown) {
    const error = asError(thrown);
    return { ok: false, error: error.message, error_code: error instanceof FileRefusal ? error.code : 'io_error' };
  }
}
