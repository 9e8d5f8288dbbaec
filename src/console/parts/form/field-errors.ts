/** Selects errors of form fields, found by the form or by the hub (`knobs.rounds: expected at least 1, got 0`). */

export interface FieldError {
  /** A path, such as `knobs.rounds` or `participants.0`. */
  readonly field: string;
  readonly message: string;
}

/** The errors of exactly this field. */
export function errorsOf(errors: readonly FieldError[], path: string): readonly string[] {
  return errors.filter(({ field }) => field === path).map(({ message }) => message);
}

/** The errors of this field and of the fields inside it. */
export function errorsWithin(errors: readonly FieldError[], path: string): readonly string[] {
  return errors.flatMap(({ field, message }) => {
    if (field === path) return [message];
    return field.startsWith(`${path}.`) ? [`${field.slice(path.length + 1)}: ${message}`] : [];
  });
}

/** The errors that no field of the form shows. */
export function errorsElsewhere(errors: readonly FieldError[], paths: readonly string[]): readonly FieldError[] {
  return errors.filter(({ field }) => !paths.some((path) => field === path || field.startsWith(`${path}.`)));
}
