/** Sends live deltas of text being written in one session, in order. */

import { invalidValueError, isWellFormed } from '../../core/lib/json.ts';
import type { DeltaDraft } from '../connection/connection-types.ts';
import { checkOptions, nameListCheck, type OptionChecks, optional } from '../lib/option-checks.ts';
import type { Roster } from './roster.ts';

export interface DeltaOptions {
  /** The envelope being answered; send the text with the same `causationId`. */
  readonly causationId: string;
  /** Recipients, by name or id. The first delta of a turn sets them for the whole turn. */
  readonly to?: readonly string[] | undefined;
}

const DELTA_OPTIONS: OptionChecks<DeltaOptions> = {
  causationId: { expected: 'the id of an envelope', holds: (value) => typeof value === 'string' && value !== '' },
  to: optional(nameListCheck),
};

type Audience = readonly string[] | null;

interface Turn {
  readonly id: string;
  readonly audience: Audience | Promise<Audience>;
  next: number;
  /** The first half of a surrogate pair, completed by the next part. */
  half: string;
}

const MAX_TEXT = 65_536;
const ENDS_IN_HALF = /[\ud800-\udbff]$/;

export class Deltas {
  private readonly sessionId: string;
  private readonly roster: Roster;
  private readonly send: (delta: DeltaDraft) => void;
  private turn: Turn | null = null;

  constructor(sessionId: string, roster: Roster, send: (delta: DeltaDraft) => void) {
    this.sessionId = sessionId;
    this.roster = roster;
    this.send = send;
  }

  /** Sends immediately, unless names must be resolved first: then later deltas of the turn wait too. */
  async show(part: string, options: DeltaOptions): Promise<void> {
    checkOptions(options, DELTA_OPTIONS);
    if (typeof part !== 'string' || part.length > MAX_TEXT) {
      throw invalidValueError('text', `text of at most ${MAX_TEXT} characters`, part);
    }
    const turn = this.turnOf(options);
    const text = this.whole(turn, part);
    if (text === '') return;
    const index = turn.next;
    turn.next += 1;
    const { audience } = turn;
    const known = audience instanceof Promise ? await audience : audience;
    this.send({ session_id: this.sessionId, turn_id: turn.id, audience: known, index, text });
  }

  private turnOf({ causationId, to }: DeltaOptions): Turn {
    if (this.turn?.id === causationId) return this.turn;
    const audience = to === undefined ? null : (this.roster.knownIds(to) ?? this.roster.idsOf(to));
    this.turn = { id: causationId, audience, next: 0, half: '' };
    return this.turn;
  }

  /** Joins characters that a model has split between two parts. */
  private whole(turn: Turn, part: string): string {
    const text = turn.half + part;
    turn.half = ENDS_IN_HALF.test(text) ? text.slice(-1) : '';
    const whole = turn.half === '' ? text : text.slice(0, -1);
    if (!isWellFormed(whole)) throw invalidValueError('text', 'well-formed Unicode text (no lone surrogate)', part);
    return whole;
  }
}
