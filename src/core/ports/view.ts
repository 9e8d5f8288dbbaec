/** What a participant sees of a session: a pure function of the log up to a seq, who it is, and parameters. */

import type { JsonObject } from '../lib/json.ts';
import type { Envelope } from '../records/session/envelope.ts';

/** One envelope the participant may see, with the text its session's adapter renders. */
export interface ViewLine {
  readonly seq: number;
  readonly sender_id: string;
  /** The sender's name in this session; "hub" for the hub's own. */
  readonly name: string;
  /** The participant said it. */
  readonly own: boolean;
  readonly text: string;
  readonly envelope: Envelope;
}

/** What the participant may see before the first line that is shown, counted. */
export interface EarlierLines {
  readonly count: number;
  /** Who said it, in the order of the participants. */
  readonly names: readonly string[];
}

/** One message as a model takes it: the participant's own lines are `assistant`, all others `user`. */
export interface ViewMessage {
  readonly role: 'assistant' | 'user';
  readonly content: string;
  /** null = made by the view, as a summary is. */
  readonly seq: number | null;
  readonly name: string | null;
}

/**
 * A view is pure and remembers nothing. (name, version) is the behaviour. The hub asks `window` for a function and
 * offers it lines, the newest first, until it says no; then `show` gets the lines that were taken, the oldest first.
 */
export interface View {
  readonly name: string;
  readonly version: number;
  /** The parameters with their defaults; throws a ProtocolError that names the one that is wrong. */
  parseParams(params: JsonObject): JsonObject;
  /** A fresh function for each reading; false = neither this line nor any before it. */
  window(params: JsonObject): (line: ViewLine) => boolean;
  show(shown: readonly ViewLine[], earlier: EarlierLines, params: JsonObject): readonly ViewMessage[];
}
