/** What every view must hold, as checks that any test runner can run; SPEC.md has the rules under VC. */

import type { View } from '../core/ports/view.ts';
import {
  badParamsAreRefused,
  linesAreKept,
  messagesArePlain,
  nobodyIsForged,
  noClockNoChance,
  nothingIsMutated,
  nothingIsRemembered,
  paramsAreParsed,
  saysWhoItIs,
  windowsAreSuffixes,
} from './view-contract/checks.ts';
import { type ViewCheckOptions, type ViewTrial, viewTrial } from './view-contract/trial.ts';

export interface ViewCheck {
  readonly title: string;
  /** Throws an error that says what was expected. */
  run(): void;
}

const CHECKS: readonly (readonly [title: string, check: (trial: ViewTrial) => void])[] = [
  ['[VC1] it has a name and a whole version', saysWhoItIs],
  ['[VC2] parseParams gives plain JSON, and the same again when it parses that', paramsAreParsed],
  ['[VC3] parseParams refuses what is wrong or unknown, with a ProtocolError', badParamsAreRefused],
  ['[VC4] no member changes what it is given', nothingIsMutated],
  ['[VC5] equal arguments give equal answers, in whatever order the calls come', nothingIsRemembered],
  ['[VC6] no member looks at the clock, rolls dice or waits', noClockNoChance],
  ['[VC7] messages are plain JSON: role, content, seq, name', messagesArePlain],
  ['[VC8] each line that was taken is one message, in order; own lines are the assistant’s', linesAreKept],
  ['[VC9] a window answers true or false, and takes the newest lines whatever is before them', windowsAreSuffixes],
  ['[VC10] no text can be taken for a line of somebody else', nobodyIsForged],
];

export function viewChecks(view: View, options: ViewCheckOptions = {}): readonly ViewCheck[] {
  const trial = viewTrial(view, options);
  return CHECKS.map(([title, check]) => ({ title, run: () => check(trial) }));
}
