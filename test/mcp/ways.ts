/** The ways in which an agent joins: over HTTP or over a child process, each in both revisions of the protocol. */

import { afterAll, afterEach, beforeAll } from 'vitest';
import type { HttpHub } from '../http/http-hub.ts';
import type { BuiltScript } from '../processes/built-script.ts';
import { builtCommand } from '../wire/up-process.ts';
import { Agent, REVISIONS, type Revision } from './agent.ts';

export interface Way {
  readonly over: 'http' | 'stdio';
  readonly revision: Revision;
}

export const WAYS: readonly Way[] = REVISIONS.flatMap((revision) => [
  { over: 'http', revision } as const,
  { over: 'stdio', revision } as const,
]);

export interface Joining {
  /** An agent with a token for that name alone. */
  join(one: HttpHub, name: string, way: Way, maxWait?: string): Promise<Agent>;
  /** The command, built. */
  readonly script: string;
}

/** For one file of tests: the command is built once, and whoever joined leaves after each test. */
export function joining(): Joining {
  let command: BuiltScript | null = null;
  const open: Agent[] = [];
  beforeAll(async () => {
    command = await builtCommand();
  });
  afterEach(async () => {
    for (const agent of open.splice(0)) await agent.close();
  });
  afterAll(() => command?.remove());
  const path = (): string => command?.path ?? '';
  return {
    get script() {
      return path();
    },
    async join(one, name, { over, revision }, maxWait = '25s') {
      const { token } = await one.hub.createToken({ name });
      const args = ['--name', name, '--url', one.url, '--token', token, '--max-wait', maxWait];
      const agent =
        over === 'http'
          ? await Agent.overHttp(one.port, token, { revision, maxWait })
          : await Agent.overStdio(path(), args, { revision });
      open.push(agent);
      return agent;
    },
  };
}
