/** Shows what is being written in one session, before it is said: hints, in order, for whoever the text will be for. */

import type { DeltaFrame } from '../../core/protocol/frames/frame-codec.ts';
import { badValue, isWellFormed } from '../../core/lib/json.ts';
import { checkOptions, names, optional, type Rules } from '../lib/option-checks.ts';
import type { Roster } from './roster.ts';

export interface DeltaOptions {
  /** What the text answers, and the `causationId` it will be sent with. */
  readonly causationId: string;
  /** Only these hear it: names or ids. What the first of a turn says holds for all of it. */
  readonly to?: readonly string[] | undefined;
}

export const DELTA_OPTIONS: Rules<DeltaOptions> = {
  causationId: { expected: 'the id of an envelope', holds: (value) => typeof value === 'string' && value !== '' },
  to: optional(names),
};

/** As the hub knows it, without who sends it. */
export type OwnDelta = Omit<DeltaFrame, 'kind' | 'sender_id'>;

type Audience = readonly string[] | null;

interface Turn {
  readonly id: string;
  readonly audience: Audience | Promise<Audience>;
  next: number;
  /** Half a character, whose other half comes with the next part. */
  half: string;
}

const MOST_TEXT = 65_536;
const ENDS_IN_HALF = /[\ud800-\udbff]$/;

export class Deltas {
  private readonly sessionId: string;
  private readonly roster: Roster;
  private readonly send: (delta: OwnDelta) => void;
  private turn: Turn | null = null;

  constructor(sessionId: string, roster: Roster, send: (delta: OwnDelta) => void) {
    this.sessionId = sessionId;
    this.roster = roster;
    this.send = send;
  }

  /** Sent at once, unless names have to be asked for first: then what follows in the turn waits for them too. */
  async show(part: string, options: DeltaOptions): Promise<void> {
    checkOptions(options, DELTA_OPTIONS);
    if (typeof part !== 'string' || part.length > MOST_TEXT) {
      throw badValue('text', `text of at most ${MOST_TEXT} characters`, part);
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

  /** A model's parts may break within a character. */
  private whole(turn: Turn, part: string): string {
    const text = turn.half + part;
    turn.half = ENDS_IN_HALF.test(text) ? text.slice(-1) : '';
    const whole = turn.half === '' ? text : text.slice(0, -1);
    if (!isWellFormed(whole)) throw badValue('text', 'well-formed Unicode text (no lone surrogate)', part);
    return whole;
  }
}
