/** What every session adapter must hold, as checks that any test runner can run; SPEC.md has the rules under AD. */

import { completeAdapter, type SessionAdapter } from '../../core/ports/adapter.ts';
import { foldIsTotal, unknownTypesChangeNothing } from './folding.ts';
import {
  createIsJudged,
  resultsAreValid,
  sendsAreJudged,
  turnsAreReal,
  turnsCanBeTaken,
  unfoldedIsRefused,
} from './judging.ts';
import {
  initialStateIsFresh,
  noClockNoChance,
  nothingIsMutated,
  nothingIsRemembered,
  replayIsLive,
  stateIsJson,
} from './purity.ts';
import { type RandomHistory, randomHistory } from './random-history.ts';
import { behavesAsPinned, extrasArePlain, manifestIsSane } from './records.ts';
import type { AdapterCheckOptions, Trial } from './trial.ts';

export interface AdapterCheck {
  readonly title: string;
  /** Throws an error that says what was expected. */
  run(): void;
}

const HISTORIES = 40;

const CHECKS: readonly (readonly [title: string, check: (trial: Trial) => void])[] = [
  ['[AD1] the manifest is plain JSON and makes sense', manifestIsSane],
  ['[AD3] validateCreate accepts what is legal and refuses with a ProtocolError only', createIsJudged],
  ['[AD4] initialState gives equal JSON each time and shares nothing that can be changed', initialStateIsFresh],
  ['[AD5] fold takes every accepted send and every change of participants', foldIsTotal],
  ['[AD6] fold returns the state unchanged for a content type it does not know', unknownTypesChangeNothing],
  ['[AD7] no member changes what it is given', nothingIsMutated],
  ['[AD8] the state survives JSON unchanged after any history', stateIsJson],
  ['[AD9] the log replays to the live state, also from a snapshot at any seq', replayIsLive],
  ['[AD10] equal arguments give equal answers, in whatever order the calls come', nothingIsRemembered],
  ['[AD11] no member looks at the clock, rolls dice or waits', noClockNoChance],
  ['[AD12] validateSend refuses with a ProtocolError only', sendsAreJudged],
  ['[AD13] msg.packet and context.set are refused unless they are folded', unfoldedIsRefused],
  ['[AD14] onAccepted answers nothing but a close and its reason', resultsAreValid],
  ['[AD15] expectedNext names an active participant and the envelope that gave it the turn', turnsAreReal],
  ['[AD16] whoever is expected may speak, and no session is mute', turnsCanBeTaken],
  [
    '[AD17] views, rendered text, rounds, tools and public state are plain data, for everyone and always',
    extrasArePlain,
  ],
];

export function adapterChecks<State>(
  given: SessionAdapter<State>,
  options: AdapterCheckOptions = {},
): readonly AdapterCheck[] {
  let made: readonly RandomHistory[] | undefined;
  const histories = () => {
    made ??= Array.from({ length: HISTORIES }, (_, seed) => randomHistory(given, options, seed));
    return made;
  };
  const trial: Trial = { adapter: completeAdapter(given), options, histories };
  const checks = CHECKS.map(([title, check]) => ({ title, run: () => check(trial) }));
  const { golden } = options;
  if (golden === undefined) return checks;
  const title = `[AD18] ${golden.type} ${golden.version} behaves as its golden log says`;
  return [...checks, { title, run: () => behavesAsPinned(trial, golden) }];
}
