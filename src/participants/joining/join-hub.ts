/**
 * Joins a hub as an agent function. turns.ts takes one turn: find-turn.ts finds it, call-agent.ts calls the agent,
 * post-answer.ts posts the answer or reports the failure. Every turn ends in an answer, a reported failure or a
 * cancellation; its idempotency key is the same in every process.
 */

import type { AgentClient, ConnectionEnd, Session, TurnHandler, TurnOffer } from '../../client/index.ts';
import { asError, HubError } from '../../core/lib/errors.ts';
import type { Clock } from '../../core/ports/platform.ts';
import { type Connect, type JoinOptions, type ResolvedJoinOptions, resolveJoinOptions } from './join-options.ts';
import { Turns } from './turns.ts';

export type JoinHub = (client: AgentClient | Connect, options: JoinOptions) => Promise<Participant>;

export function createJoinHub(clock: Clock): JoinHub {
  return async (client, options) => {
    const joining = resolveJoinOptions(options, clock);
    return typeof client === 'function' ? connected(client, options, joining) : given(client, options, joining);
  };
}

/** Opens the connection itself. Answers invites immediately; turns wait until the participant is complete. */
async function connected(connect: Connect, options: JoinOptions, joining: ResolvedJoinOptions): Promise<Participant> {
  const { name, onInvite, onState, register } = options;
  if (name === undefined)
    throw new HubError('bad_options', 'name: expected the name of the participant, got undefined');
  let begin: (participant: Participant) => void = () => {};
  const begun = new Promise<Participant>((resolve) => {
    begin = resolve;
  });
  const onTurn: TurnHandler = async (offer, session) => (await begun).take(offer, session);
  const log = options.log === undefined ? {} : { log: options.log };
  const client = await connect({ name, register: register ?? true, onInvite, onTurn, onState, ...log });
  return start(client, options, joining, begin);
}

/** Joins with an already connected client, which must have no handlers. */
async function given(client: AgentClient, options: JoinOptions, joining: ResolvedJoinOptions): Promise<Participant> {
  for (const mine of ['name', 'register', 'onInvite', 'onState'] as const) {
    if (options[mine] === undefined) continue;
    const message = `${mine}: set it in the options of the connected client, or pass joinHub a function that connects`;
    throw new HubError('bad_options', message);
  }
  return start(client, options, joining, (participant) => {
    client.handle({ onTurn: (offer, session) => participant.take(offer, session) });
  });
}

async function start(
  client: AgentClient,
  { resume, rule }: JoinOptions,
  joining: ResolvedJoinOptions,
  begin: (participant: Participant) => void,
): Promise<Participant> {
  try {
    if (resume !== undefined) await client.setResume(resume);
    if (rule !== undefined) await client.setRule(rule);
    const participant = new Participant(client, new Turns(client, joining), joining);
    begin(participant);
    await client.offerOpenTurns();
    return participant;
  } catch (error) {
    client.close();
    throw error;
  }
}

export interface CloseOptions {
  /** Let open turns finish first; otherwise they are cancelled and offered again in the next run. */
  readonly finish?: boolean | undefined;
}

export class Participant {
  readonly client: AgentClient;
  private readonly turns: Turns;
  private readonly options: ResolvedJoinOptions;
  private readonly taking = new Set<Promise<void>>();
  private closing: Promise<void> | null = null;
  private leaving: Promise<void> | null = null;

  constructor(client: AgentClient, turns: Turns, options: ResolvedJoinOptions) {
    this.client = client;
    this.turns = turns;
    this.options = options;
  }

  get name(): string {
    return this.client.name;
  }

  /** Resolves when the connection has ended, on either side. */
  get closed(): Promise<ConnectionEnd> {
    return this.client.closed;
  }

  /** While closing, waits for the connection to end: a turn cancelled here is then not acked and is offered again. */
  async take(offer: TurnOffer, session: Session): Promise<void> {
    const taken = this.turns.take(offer, session);
    this.taking.add(taken);
    await taken;
    this.taking.delete(taken);
    if (this.closing !== null) await this.client.closed;
  }

  /** Takes no more turns, ends the open ones and closes the client. Stays in its sessions. Idempotent. */
  close(options: CloseOptions = {}): Promise<void> {
    this.closing ??= this.end(options);
    if (options.finish !== true) this.turns.stop('the participant was closed');
    return this.closing;
  }

  /** Closes, and leaves its sessions for good. */
  leave(): Promise<void> {
    this.leaving ??= this.closing ?? this.leaveAll();
    return this.leaving;
  }

  private async leaveAll(): Promise<void> {
    this.turns.stop('the participant leaves');
    for await (const { session_id } of this.client.sessions({ states: ['ACTIVE'] })) {
      await this.client
        .session(session_id)
        .leave()
        .catch((thrown: unknown) =>
          this.options.log.warn('could not leave a session', { session_id, error: asError(thrown).message }),
        );
    }
    return this.close();
  }

  private async end({ finish = false }: CloseOptions): Promise<void> {
    if (finish) this.turns.refuse();
    else this.turns.stop('the participant was closed');
    await this.settled(finish);
    this.client.close();
  }

  /** Waits for open turns, but at most `graceMs` for an agent that ignores its signal. */
  private async settled(finish: boolean): Promise<void> {
    const all = Promise.all(this.taking);
    if (finish) return void (await Promise.race([all, this.client.closed]));
    const { clock, graceMs } = this.options;
    let stop = (): void => {};
    const late = new Promise<void>((resolve) => {
      stop = clock.after(graceMs, resolve);
    });
    await Promise.race([all, late]);
    stop();
  }
}
