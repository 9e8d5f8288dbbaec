/** Who looks on while a participant takes its turns: what each of them hears, and that none can break a turn. */

import type { Session, SessionEnd } from '../../client/index.ts';
import type { PostAnswer } from '../../core/decisions/admit.ts';
import { asError } from '../../core/lib/errors.ts';
import type { Logger } from '../../core/ports/platform.ts';
import type { AgentReply, ProgressEvent } from '../agent/agent-fn.ts';

/** A turn that a participant takes. */
export interface AgentTurn {
  readonly session: Session;
  /** The session type; empty if the turn could not be read. */
  readonly type: string;
  /** What gave the turn, by its seq. */
  readonly seq: number;
  /** Who said what is answered; null = the turn came without a message. */
  readonly from: string | null;
  /** What is answered; empty if the turn came without a message. */
  readonly text: string;
  readonly idempotencyKey: string;
  readonly resumed: boolean;
}

/** All of them are told, and decide nothing. */
export interface JoinHandlers {
  /** The agent is called. */
  onTurn?(turn: AgentTurn): unknown;
  onDelta?(text: string, turn: AgentTurn): unknown;
  onProgress?(event: ProgressEvent, turn: AgentTurn): unknown;
  /** The answer was accepted. */
  onReply?(reply: AgentReply, turn: AgentTurn, answer: PostAnswer): unknown;
  /** There is no answer, and the session was told so. */
  onError?(error: Error, turn: AgentTurn): unknown;
  /** No answer is wanted any more, and what the agent still made is dropped. */
  onCancelled?(reason: string, turn: AgentTurn): unknown;
  /** A session in which turns were taken is over for this participant. */
  onClosed?(session: Session, end: SessionEnd): unknown;
}

export type NotifyHandlers = (name: keyof JoinHandlers, run: (handlers: JoinHandlers) => unknown) => void;

/** Calls one of them; what it throws is logged. */
export function createNotifier({
  handlers,
  log,
}: {
  readonly handlers: JoinHandlers;
  readonly log: Logger;
}): NotifyHandlers {
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
