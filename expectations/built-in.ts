/** The built-in evaluators and handlers. */

import type { Evaluator, ViolationHandler } from 'parley-hub/core';
import { acksWithin } from './acks-within.ts';
import { budgetWithin } from './budget-within.ts';
import { audit, autoClose, hide, notifySession, remove, warn } from './handlers.ts';
import { maxSilence } from './max-silence.ts';
import { maxTurns } from './max-turns.ts';
import { noProgress } from './no-progress.ts';
import { replyWithin } from './reply-within.ts';
import { turnWithin } from './turn-within.ts';

export const EVALUATORS: readonly Evaluator[] = [
  acksWithin,
  replyWithin,
  turnWithin,
  maxSilence,
  maxTurns,
  budgetWithin,
  noProgress,
];
export const HANDLERS: readonly ViolationHandler[] = [audit, warn, notifySession, hide, remove, autoClose];
