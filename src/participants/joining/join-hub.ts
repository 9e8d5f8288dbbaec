/** A participant that has joined a hub: it takes its turns until it is closed or leaves. */

import type { AgentClient, ConnectionEnd, Session, TurnOffer } from '../../client/index.ts';
import { asError } from '../../core/lib/errors.ts';
import type { Joining } from './join-options.ts';
import type { Turns } from './turns.ts';

export interface CloseOptions {
  /** Let turns that are under way be answered first; else they are cancelled, and come again at the next run. */
  readonly finish?: boolean | undefined;
}

export class Participant {
  readonly client: AgentClient;
  private readonly turns: Turns;
  private readonly options: Joining;
  private readonly taking = new Set<Promise<void>>();
  private closing: Promise<void> | null = null;
  private leaving: Promise<void> | null = null;

  constructor(client: AgentClient, turns: Turns, options: Joining) {
    this.client = client;
    this.turns = turns;
    this.options = options;
  }

  get name(): string {
    return this.client.name;
  }

  /** Resolves when it is no longer connected, by whomever. */
  get closed(): Promise<ConnectionEnd> {
    return this.client.closed;
  }

  /** What a turn that was cancelled here answered is not acked: it comes again. */
  async take(offer: TurnOffer, session: Session): Promise<void> {
    const taken = this.turns.take(offer, session);
    this.taking.add(taken);
    await taken;
    this.taking.delete(taken);
    if (this.closing !== null) await this.client.closed;
  }

  /** Takes no more turns, ends those under way, and closes the client. It stays in its sessions. Idempotent. */
  close(options: CloseOptions = {}): Promise<void> {
    this.closing ??= this.end(options);
    if (options.finish !== true) this.turns.stop('the participant was closed');
    return this.closing;
  }

  /** The same, and leaves its sessions for good. */
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
          this.options.log.warn('a session could not be left', { session_id, error: asError(thrown).message }),
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

  /** An agent that does not listen to its signal is not waited for without end. */
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
