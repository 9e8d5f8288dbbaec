/** Provides what all scenes share: the hub, the view, and agents that pause before they act. */

import type { AgentClient, Session, TurnHandler } from '../../client/index.ts';
import { HubError } from '../../core/lib/errors.ts';
import type { LocalAgentOptions, LocalHub } from '../../server/create-hub.ts';
import type { DemoView } from './demo-view.ts';

export class Stage {
  readonly hub: LocalHub;
  readonly view: DemoView;
  private readonly cast: AgentClient[] = [];

  constructor(hub: LocalHub, view: DemoView) {
    this.hub = hub;
    this.view = view;
  }

  /** An agent that pauses before it accepts an invite and before each turn. */
  async agent(name: string, { onTurn, ...options }: LocalAgentOptions = {}): Promise<AgentClient> {
    const onInvite = async (): Promise<true> => {
      await this.view.beat();
      return true;
    };
    const client = await this.hub.agent(name, {
      ...options,
      onInvite,
      ...(onTurn === undefined ? {} : { onTurn: this.slowly(onTurn) }),
    });
    this.cast.push(client);
    return client;
  }

  /** An agent that sends one line per turn; for null, it sends nothing in that turn. */
  speaker(name: string, lines: readonly (string | null)[]): Promise<AgentClient> {
    const left = [...lines];
    const onTurn = async (_turn: unknown, session: Session): Promise<void> => {
      const line = left.shift() ?? null;
      if (line !== null) await session.send(line);
    };
    return this.agent(name, { onTurn });
  }

  /** Disconnects the agents, so that the next scene can reuse their names. */
  async clear(): Promise<void> {
    for (const client of this.cast) await client.close();
  }

  private slowly(onTurn: TurnHandler): TurnHandler {
    return async (turn, session) => {
      await this.view.beat();
      await onTurn(turn, session);
    };
  }
}

/** Waits for texts by reading them: unread texts would keep the session from ending. */
export async function waitForTexts(session: Session, count: number): Promise<void> {
  for (let heard = 0; heard < count; heard++) await session.waitFor('msg.text');
}

/** Expects a rejection, which the view draws. */
export async function expectRefusal(send: Promise<unknown>): Promise<void> {
  const accepted = await send.then(
    () => true,
    () => false,
  );
  if (accepted) throw new HubError('demo', 'expected the hub to reject this send');
}
