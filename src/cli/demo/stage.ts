/** What every scene has: the hub, the view that draws it, and agents who take a moment before they act. */

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

  /** An agent that thinks for a moment before it accepts an invite, and before it takes a turn. */
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

  /** An agent that says these lines, one for each turn the hub gives it; null = it lets the turn pass in silence. */
  speaker(name: string, lines: readonly (string | null)[]): Promise<AgentClient> {
    const left = [...lines];
    const onTurn = async (_turn: unknown, session: Session): Promise<void> => {
      const line = left.shift() ?? null;
      if (line !== null) await session.send(line);
    };
    return this.agent(name, { onTurn });
  }

  /** The scene is over: the same names may come again, and behave otherwise. */
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

/** Waits for what others say; what nobody takes stays unread, and a session waits for its readers before it ends. */
export async function waitForTexts(session: Session, count: number): Promise<void> {
  for (let heard = 0; heard < count; heard++) await session.waitFor('msg.text');
}

/** Waits for a refusal; what the hub says about it is drawn by the view. */
export async function expectRefusal(send: Promise<unknown>): Promise<void> {
  const accepted = await send.then(
    () => true,
    () => false,
  );
  if (accepted) throw new HubError('demo', 'a send was accepted that must be refused');
}
