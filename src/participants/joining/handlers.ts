/** Defines the handlers that a participant's owner may set. An exception in one never breaks a turn. */

import type { Session, SessionEnd } from '../../client/index.ts';
import type { PostAnswer } from '../../core/decisions/admit.ts';
import { asError } from '../../core/lib/errors.ts';
import type { Logger } from '../../core/ports/platform.ts';
import type { AgentReply, ProgressEvent } from '../agent/agent-fn.ts';

export interface AgentTurn {
  readonly session: Session;
  /** The session type; empty if the turn could not be read. */
  readonly type: string;
  /** Seq of the envelope that gave the turn. */
  readonly seq: number;
  /** Sender of the message to answer; null if no participant's message gave the turn. */
  readonly from: string | null;
  /** The message to answer; empty if no participant's message gave the turn. */
  readonly text: string;
  readonly idempotencyKey: string;
  readonly resumed: boolean;
}

/** All handlers are notifications; their return values are ignored. */
export interface JoinHandlers {
  onTurn?(turn: AgentTurn): unknown;
  onDelta?(text: string, turn: AgentTurn): unknown;
  onProgress?(event: ProgressEvent, turn: AgentTurn): unknown;
  /** Called when the hub has accepted the answer. */
  onReply?(reply: AgentReply, turn: AgentTurn, answer: PostAnswer): unknown;
  /** Called when the turn failed and the failure was reported to the session. */
  onError?(error: Error, turn: AgentTurn): unknown;
  /** Called when the answer is no longer needed; the agent's output is dropped. */
  onCancelled?(reason: string, turn: AgentTurn): unknown;
  /** Called when a session in which this participant took turns has ended for it. */
  onClosed?(session: Session, end: SessionEnd): unknown;
}

export type NotifyHandlers = (name: keyof JoinHandlers, run: (handlers: JoinHandlers) => unknown) => void;

/** Returns a function that calls one handler and logs what it throws. */
export function createNotifier(options: { readonly handlers: JoinHandlers; readonly log: Logger }): NotifyHandlers {
  const { handlers, log } = options;
  return (name, run) => {
    const threw = (thrown: unknown): void => log.warn(`${name} threw`, { error: asError(thrown).message });
    try {
      const result = run(handlers);
      if (result instanceof Promise) result.catch(threw);
    } catch (thrown) {
      threw(thrown);
    }
  };
}
