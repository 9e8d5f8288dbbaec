/** What is wrong with a field, told by the form itself or by the hub, which says `knobs.rounds: expected at least 1, got 0`. */

export interface FieldError {
  /** Its path, such as `knobs.rounds` or `participants.0`. */
  readonly field: string;
  readonly message: string;
}

/** Those of this very field. */
export function errorsOf(errors: readonly FieldError[], path: string): readonly string[] {
  return errors.filter(({ field }) => field === path).map(({ message }) => message);
}

/** Those of this field, or of anything in it that has no field of its own. */
export function errorsWithin(errors: readonly FieldError[], path: string): readonly string[] {
  return errors.flatMap(({ field, message }) => {
    if (field === path) return [message];
    return field.startsWith(`${path}.`) ? [`${field.slice(path.length + 1)}: ${message}`] : [];
  });
}

/** Those that no field of the form shows. */
export function errorsElsewhere(errors: readonly FieldError[], paths: readonly string[]): readonly FieldError[] {
  return errors.filter(({ field }) => !paths.some((path) => field === path || field.startsWith(`${path}.`)));
}
