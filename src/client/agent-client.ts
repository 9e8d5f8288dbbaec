/** The client of an agent: messages and turns go to its handlers; without them, they wait in the session's handle. */

import { CLIENT_OPTIONS, Client, type ClientOptions } from './client.ts';
import { aFunction, checkOptions, optional, type Rules } from './given.ts';
import type { Handlers } from './lane.ts';
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
  private readonly given: Handlers;

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

  protected override handlers(): Handlers {
    return this.given;
  }
}
