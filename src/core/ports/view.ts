/** Views: pure functions that render a log up to a seq for one participant. */

import type { JsonObject } from '../lib/json.ts';
import type { Envelope } from '../records/session/envelope.ts';

/** An envelope visible to the participant, with the text its session adapter rendered. */
export interface ViewLine {
  readonly seq: number;
  readonly sender_id: string;
  /** The sender's name in this session; "hub" for hub envelopes. */
  readonly name: string;
  /** true if the participant sent it. */
  readonly own: boolean;
  readonly text: string;
  readonly envelope: Envelope;
}

/** The number and senders of the visible lines before the first shown one. */
export interface EarlierLines {
  readonly count: number;
  /** The names of the senders, in participant order. */
  readonly names: readonly string[];
}

/** A message for a model: the participant's own lines are `assistant`, all others `user`. */
export interface ViewMessage {
  readonly role: 'assistant' | 'user';
  readonly content: string;
  /** null if the view made the message, such as a summary. */
  readonly seq: number | null;
  readonly name: string | null;
}

/** Pure and stateless. (name, version) fixes the behaviour. The hub offers lines, newest first, to the function from
 * `window` until it returns false; `show` then gets the accepted lines, oldest first. */
export interface View {
  readonly name: string;
  readonly version: number;
  /** Applies defaults; throws a ProtocolError that names an invalid parameter. */
  parseParams(params: JsonObject): JsonObject;
  /** Returns a new function per reading; its answer false excludes a line and all lines before it. */
  window(params: JsonObject): (line: ViewLine) => boolean;
  show(shown: readonly ViewLine[], earlier: EarlierLines, params: JsonObject): readonly ViewMessage[];
}
