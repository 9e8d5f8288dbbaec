/** The files whose text means something to a gate. Of every other file only that it is there counts. */

import type { Reason } from '../verdict.ts';
import { acceptanceMatrix } from './acceptance-matrix.ts';
import { implementationNotes, releaseNotes, systemSpec } from './documents.ts';
import { pmSignoff } from './pm-signoff.ts';
import { shipVerdict } from './ship-verdict.ts';

/** What is wrong with the text, or null. */
export type Semantic = (text: string) => Reason | null;

export const SEMANTICS: Readonly<Record<string, Semantic>> = {
  '.planning/PM_SIGNOFF.md': pmSignoff,
  '.planning/SYSTEM_SPEC.md': systemSpec,
  '.planning/IMPLEMENTATION_NOTES.md': implementationNotes,
  '.planning/acceptance-matrix.md': acceptanceMatrix,
  '.planning/ship-verdict.md': shipVerdict,
  '.planning/RELEASE_NOTES.md': releaseNotes,
};
