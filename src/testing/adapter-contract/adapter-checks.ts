/** The checks of every session adapter; SPEC.md has the rules under AD. */

import { completeAdapter, type SessionAdapter } from '../../core/ports/adapter.ts';
import { type Check, type CheckTable, checksOf } from '../lib/check.ts';
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

const HISTORIES = 40;

const CHECKS: CheckTable<Trial> = [
  ['[AD1] the manifest is plain JSON with valid members', manifestIsSane],
  ['[AD3] validateCreate accepts valid sessions and rejects others with a ProtocolError only', createIsJudged],
  ['[AD4] initialState returns equal, independent JSON each time', initialStateIsFresh],
  ['[AD5] fold handles every accepted post and every change of participants', foldIsTotal],
  ['[AD6] fold returns the state unchanged for an unknown content type', unknownTypesChangeNothing],
  ['[AD7] no member changes its arguments', nothingIsMutated],
  ['[AD8] the state survives JSON unchanged after any history', stateIsJson],
  ['[AD9] the log replays to the live state, also from a snapshot at any seq', replayIsLive],
  ['[AD10] equal arguments give equal answers, in any order of calls', nothingIsRemembered],
  ['[AD11] no member uses the clock or randomness, or waits', noClockNoChance],
  ['[AD12] validateSend rejects with a ProtocolError only', sendsAreJudged],
  ['[AD13] msg.packet and context.set are rejected unless they are folded', unfoldedIsRefused],
  ['[AD14] onAccepted returns only a close and its reason', resultsAreValid],
  ['[AD15] expectedNext names an active participant and the envelope that gave it the turn', turnsAreReal],
  ['[AD16] the holder of the turn can post, and no session is mute', turnsCanBeTaken],
  ['[AD17] views, rendered text, rounds, tools and public state are plain data for every participant', extrasArePlain],
];

export function adapterChecks<State>(
  given: SessionAdapter<State>,
  options: AdapterCheckOptions = {},
): readonly Check[] {
  let made: readonly RandomHistory[] | undefined;
  const histories = () => {
    made ??= Array.from({ length: HISTORIES }, (_, seed) => randomHistory(given, options, seed));
    return made;
  };
  const trial: Trial = { adapter: completeAdapter(given), options, histories };
  const checks = checksOf(CHECKS, trial);
  const { golden } = options;
  if (golden === undefined) return checks;
  const title = `[AD18] ${golden.type} ${golden.version} behaves as its golden log says`;
  return [...checks, { title, run: () => behavesAsPinned(trial, golden) }];
}
