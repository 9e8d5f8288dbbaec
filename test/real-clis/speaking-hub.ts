/** A hub process, a model that answers or holds back, and the agent alice. */

import { type AgentClient, type ConnectOptions, connect } from 'parley-hub/client';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { operatorToken } from '../server/up-process.ts';
import { CommandLine } from '../support/command-line.ts';
import { nextLine } from './lines.ts';
import { SpeakingModel } from './speaking-model.ts';

export const NAMES = ['claude', 'codex'] as const;
export type Name = (typeof NAMES)[number];

export interface Speaking {
  readonly line: CommandLine;
  readonly model: SpeakingModel;
  readonly alice: AgentClient;
  /** While true, the model begins answers without completing them. Reset after each test. */
  isHolding: boolean;
}

export interface SpeakingSettings {
  readonly alice: Omit<ConnectOptions, 'name' | 'token'>;
  /** Joins a participant after the setup. */
  join(name: Name): Promise<void>;
  /** Ends the participants before the teardown. */
  leave(): Promise<void>;
}

/** For one file of tests. */
export function speaking({ alice: handlers, join, leave }: SpeakingSettings): Speaking {
  const made: { line?: CommandLine; model?: SpeakingModel; alice?: AgentClient } = {};
  const one: Speaking = {
    isHolding: false,
    get line() {
      return there(made.line);
    },
    get model() {
      return there(made.model);
    },
    get alice() {
      return there(made.alice);
    },
  };
  beforeAll(async () => {
    made.line = await CommandLine.open();
    await made.line.startHub();
    made.model = await SpeakingModel.start((question) => ({ ...nextLine(question), hold: one.isHolding }));
    made.alice = await connect(made.line.url, {
      ...handlers,
      name: 'alice',
      token: await operatorToken(made.line.data),
    });
    for (const name of NAMES) await join(name);
  });
  afterEach(() => {
    one.isHolding = false;
  });
  afterAll(async () => {
    console.log(`the model was asked:\n${made.model?.summary()}`);
    await leave();
    made.alice?.close();
    await made.model?.close();
    await made.line?.close();
  });
  return one;
}

/** Creates a token for a name. */
export async function tokenFor({ line }: Speaking, name: Name): Promise<string> {
  const [made] = await line.json('token', 'create', '--name', name);
  return String(made?.token);
}

/** Bounded by the test timeout. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resume) => setTimeout(resume, 10));
}

function there<T>(one: T | undefined): T {
  if (one === undefined) throw new Error('only available after setup');
  return one;
}
