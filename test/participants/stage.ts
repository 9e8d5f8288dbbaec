// A hub on a simulated clock, with participants that take turns and clients that only talk.

import { consulting } from 'parley-hub/adapters/consulting';
import { conversation } from 'parley-hub/adapters/conversation';
import { discussion } from 'parley-hub/adapters/discussion';
import { governed } from 'parley-hub/adapters/governed';
import { CONDITIONS, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import { AgentClient, type AgentOptions, type Session } from 'parley-hub/client';
import type { Envelope } from 'parley-hub/core';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import {
  type AgentFn,
  type AgentReply,
  type JoinOptions,
  joinHub,
  type Participant,
  type ThreadContext,
  type TurnOptions,
} from 'parley-hub/participants';
import { World } from 'parley-hub/testing';
import { fullTranscript } from 'parley-hub/views/full-transcript';
import { sinceMyLastTurn } from 'parley-hub/views/since-my-last-turn';
import { windowedSummary } from 'parley-hub/views/windowed-summary';

export class Stage {
  readonly world: World;
  /** Notifications of participants, as lines. */
  readonly told: string[] = [];

  private constructor(world: World) {
    this.world = world;
  }

  static async start(): Promise<Stage> {
    const adapters = [consulting, conversation, discussion, workflow, governed];
    const views = [fullTranscript, windowedSummary, sinceMyLastTurn];
    const extensions = { conditions: CONDITIONS, targets: TARGETS, evaluators: EVALUATORS, handlers: HANDLERS };
    return new Stage(await World.start({ adapters, views, ...extensions }));
  }

  /** Reconnects on the simulated clock. */
  way(options: Partial<AgentOptions> & Pick<AgentOptions, 'name'>): Promise<AgentClient> {
    const { clock, ids } = this.world;
    const reconnect = { clock, random: () => 0.5, minMs: 10, maxMs: 10 };
    return AgentClient.connect({ link: () => this.world.hub.connect(), ids, reconnect, ...options });
  }

  /** A client that reads messages. */
  client(name: string, options: Partial<AgentOptions> = {}): Promise<AgentClient> {
    return this.done(this.way({ name, onMessage: () => {}, ...options }));
  }

  /** A client opens a session with bob and writes to it. */
  async ask(text = 'why?', type = 'consulting', by = 'alice'): Promise<{ alice: AgentClient; session: Session }> {
    const alice = await this.client(by);
    const session = await this.done(alice.open(type, ['bob']));
    await this.done(session.send(text));
    return { alice, session };
  }

  join(name: string, agent: AgentFn, options: Partial<Omit<JoinOptions, 'agent' | 'role'>> = {}): Promise<Participant> {
    const say = (line: string): void => void this.told.push(`${name} ${line}`);
    const handlers: JoinOptions['handlers'] = {
      onTurn: ({ resumed }) => say(resumed ? 'takes a turn again' : 'takes a turn'),
      onReply: ({ text }) => say(`said ${text}`),
      onError: ({ message }) => say(`failed: ${message}`),
      onCancelled: (reason) => say(`cancelled: ${reason}`),
      onClosed: (_session, { reason }) => say(`over: ${reason}`),
    };
    const { clock } = this.world;
    return this.done(joinHub((own) => this.way(own), { name, agent, clock, handlers, ...options }));
  }

  /** Processes everything that takes no time until the promise settles. */
  async done<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    promise.then(settled, settled);
    for (let tries = 0; tries < 200 && !isSettled; tries += 1) await this.world.settle();
    if (!isSettled) throw new Error('it takes time, or never comes');
    return promise;
  }

  async until(holds: () => boolean, what: string): Promise<void> {
    for (let tries = 0; tries < 200 && !holds(); tries += 1) await this.world.settle();
    if (!holds()) throw new Error(`expected ${what}; told: ${this.told.join('; ')}`);
  }

  async settle(): Promise<void> {
    for (let tries = 0; tries < 20; tries += 1) await this.world.settle();
  }

  async log(session: Session): Promise<Envelope[]> {
    const envelopes: Envelope[] = [];
    const reading = async (): Promise<void> => {
      for await (const envelope of session.log()) envelopes.push(envelope);
    };
    await this.done(reading());
    return envelopes;
  }

  async texts(session: Session): Promise<string[]> {
    const said = (await this.log(session)).filter(({ event_type }) => event_type === 'msg.text');
    return said.map(({ event_data }) => String(event_data.text));
  }
}

interface Call {
  readonly ctx: ThreadContext;
  readonly systemPrompt: string;
  readonly turn: TurnOptions;
  answer(reply: string | AgentReply): void;
  fail(error: unknown): void;
}

/** An agent whose answers the test controls. */
export class Puppet {
  readonly calls: Call[] = [];

  readonly agent: AgentFn = (ctx, systemPrompt, turn) =>
    new Promise((resolve, reject) => {
      if (turn === undefined) throw new Error('expected turn options');
      this.calls.push({ ctx, systemPrompt, turn, answer: resolve, fail: reject });
    });

  call(index = 0): Call {
    const call = this.calls[index];
    if (call === undefined) throw new Error(`expected call ${index}, and there were ${this.calls.length}`);
    return call;
  }
}
