/** The ways in which an agent joins: over HTTP or over a child process, each in both revisions of the protocol. */

import { afterAll, afterEach, beforeAll } from 'vitest';
import { HttpHub } from '../server/http/http-hub.ts';
import { builtCommand } from '../server/up-process.ts';
import type { BuiltScript } from '../support/built-script.ts';
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
  /** One agent, called reviewer, and its hub for all tests of a describe: after each its sessions are closed. */
  shared(way: Way): Shared;
  /** The command, built. */
  readonly script: string;
}

export interface Shared {
  readonly one: HttpHub;
  readonly agent: Agent;
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
    async join(one, name, way, maxWait) {
      const agent = await joined(path(), one, { name, way, maxWait });
      open.push(agent);
      return agent;
    },
    shared: (way) => shared(way, path),
  };
}

interface Who {
  readonly name: string;
  readonly way: Way;
  readonly maxWait?: string | undefined;
}

async function joined(script: string, one: HttpHub, { name, way, maxWait = '25s' }: Who): Promise<Agent> {
  const { token } = await one.hub.createToken({ name });
  const { over, revision } = way;
  if (over === 'http') return Agent.overHttp(one.port, token, { revision, maxWait });
  const args = ['--name', name, '--url', one.url, '--token', token, '--max-wait', maxWait];
  return Agent.overStdio(script, args, { revision });
}

function shared(way: Way, script: () => string): Shared {
  let there: Shared | null = null;
  beforeAll(async () => {
    const one = await HttpHub.keep();
    there = { one, agent: await joined(script(), one, { name: 'reviewer', way }) };
    await there.agent.value('sessions');
  });
  afterEach(async () => {
    const { sessions } = await now().agent.value('sessions');
    for (const { session } of sessions) await now().agent.call('close', { session });
  });
  afterAll(async () => {
    await there?.agent.close();
    await there?.one.close();
  });
  const now = (): Shared => {
    if (there === null) throw new Error('expected to be asked within a test');
    return there;
  };
  return {
    get one() {
      return now().one;
    },
    get agent() {
      return now().agent;
    },
  };
}
