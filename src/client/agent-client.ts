/**
 * The client of an agent: passes messages and turns to handlers; without handlers they wait in the session handle.
 */

import { HubError } from '../core/lib/errors.ts';
import { Client } from './client.ts';
import { CLIENT_OPTIONS, type ClientOptions } from './client-options.ts';
import { checkOptions, functionCheck, type OptionChecks, optional } from './lib/option-checks.ts';
import { pages } from './lib/pages.ts';
import type { SessionHandlers } from './session/handler-queue.ts';
import type { MessageHandler, TurnHandler } from './session/session.ts';

export interface AgentOptions extends ClientOptions {
  readonly onMessage?: MessageHandler | undefined;
  readonly onTurn?: TurnHandler | undefined;
}

export const AGENT_OPTIONS: OptionChecks<AgentOptions> = {
  ...CLIENT_OPTIONS,
  onMessage: optional(functionCheck),
  onTurn: optional(functionCheck),
};

export class AgentClient extends Client {
  private current: SessionHandlers;

  private constructor(options: AgentOptions) {
    super(options);
    this.current = { onMessage: options.onMessage ?? null, onTurn: options.onTurn ?? null };
  }

  static async connect(options: AgentOptions): Promise<AgentClient> {
    checkOptions(options, AGENT_OPTIONS);
    const client = new AgentClient(options);
    await client.start({ kind: 'agent' });
    return client;
  }

  /** Sets the handlers of a client that connected without any; they also receive waiting messages and turns. */
  handle(handlers: { readonly onMessage?: MessageHandler; readonly onTurn?: TurnHandler }): void {
    checkOptions(handlers, { onMessage: optional(functionCheck), onTurn: optional(functionCheck) });
    if (this.current.onMessage !== null || this.current.onTurn !== null) {
      throw new HubError('has_handlers', `${this.name} already has handlers; set them once`);
    }
    this.current = { onMessage: handlers.onMessage ?? null, onTurn: handlers.onTurn ?? null };
    this.wakeRooms();
  }

  /** Offers `onTurn` every open turn of this agent once, including turns that an earlier process left open. */
  async offerOpenTurns(): Promise<void> {
    for await (const { turns } of pages((after?: string) => this.call('pending_turns', { after }))) {
      for (const { session_id } of turns) await this.offerOpenTurn(session_id);
    }
  }

  protected override handlers(): SessionHandlers {
    return this.current;
  }
}
