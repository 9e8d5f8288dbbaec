/** The client of an agent: messages and turns go to its handlers; without them, they wait in the session's handle. */

import { HubError } from '../core/lib/errors.ts';
import type { Result } from '../core/operations.ts';
import { CLIENT_OPTIONS, Client, type ClientOptions } from './client.ts';
import { aFunction, checkOptions, optional, type Rules } from './lib/option-checks.ts';
import type { Handlers } from './session/handler-queue.ts';
import type { MessageHandler, TurnHandler } from './message.ts';

export interface AgentOptions extends ClientOptions {
  readonly onMessage?: MessageHandler | undefined;
  readonly onTurn?: TurnHandler | undefined;
}

export const AGENT_OPTIONS: Rules<AgentOptions> = {
  ...CLIENT_OPTIONS,
  onMessage: optional(aFunction),
  onTurn: optional(aFunction),
};

export class AgentClient extends Client {
  private given: Handlers;

  private constructor(options: AgentOptions) {
    super(options);
    this.given = { onMessage: options.onMessage ?? null, onTurn: options.onTurn ?? null };
  }

  static async connect(options: AgentOptions): Promise<AgentClient> {
    checkOptions(options, AGENT_OPTIONS);
    const client = new AgentClient(options);
    await client.start({ kind: 'agent' });
    return client;
  }

  /** Hands messages and turns to these from now on, also what waits: for a client that was connected without. */
  handle(handlers: { readonly onMessage?: MessageHandler; readonly onTurn?: TurnHandler }): void {
    checkOptions(handlers, { onMessage: optional(aFunction), onTurn: optional(aFunction) });
    if (this.given.onMessage !== null || this.given.onTurn !== null) {
      throw new HubError('has_handlers', `${this.name} has handlers already, and a message is for one`);
    }
    this.given = { onMessage: handlers.onMessage ?? null, onTurn: handlers.onTurn ?? null };
    this.wakeRooms();
  }

  /**
   * Offers `onTurn` every turn of yours that is open, also those that an earlier process was given and did not take. Each is
   * still offered once.
   */
  async offerOpenTurns(): Promise<void> {
    for (let after: string | null | undefined; after !== null; ) {
      const page: Result<'pending_turns'> = await this.call('pending_turns', { after });
      for (const { session_id } of page.turns) await this.offerOpenTurn(session_id);
      after = page.next;
    }
  }

  protected override handlers(): Handlers {
    return this.given;
  }
}
