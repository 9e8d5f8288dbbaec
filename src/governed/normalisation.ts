/** What was written differently before it was judged: always told, with before and after. */

export interface Normalisation {
  /** The rule's name, from the table it stands in. */
  readonly rule: string;
  /** Where: `verification.status`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}
