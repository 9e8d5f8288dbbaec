/** How a hook's program or request ended, before anything is decided. */

import type { HookEnd } from '../../../governed/engine/hooks/decide.ts';

export interface HookEnded {
  readonly end: Exclude<HookEnd, { readonly kind: 'tampered' }>;
  /** Of a program that ended by itself. */
  readonly exitCode: number | null;
  readonly stderr: string;
  /** Not to be shown: what its variables held. */
  readonly secrets: readonly string[];
}

/** What an answer may have in all; sixteen annotations and a message fit many times. */
export const MAX_ANSWER_BYTES: number = 256 * 1024;

/** Variables of the runner. */
export type Variables = Readonly<Record<string, string | undefined>>;
