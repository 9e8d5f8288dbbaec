/** Joins agents over HTTP or a child process, in both protocol revisions. */

import { afterAll, afterEach, beforeAll } from 'vitest';
import type { AgentClient } from '../../src/client/index.ts';
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

export const HTTP: Way = { over: 'http', revision: '2026' };

export interface Joining {
  /** An agent with a token for that name. */
  join(one: HttpHub, name: string, way: Way, maxWait?: string): Promise<Agent>;
  /** An agent called reviewer and a hub for all tests of a describe; closes its sessions after each test. */
  shared(way: Way): Shared;
  /** A hub with the agents reviewer, over HTTP, and bob. */
  party(maxWait?: string): Promise<Shared & { readonly bob: AgentClient }>;
  /** Path of the built command. */
  readonly script: string;
}

interface Shared {
  readonly one: HttpHub;
  readonly agent: Agent;
}

/** Builds the command once per test file and closes joined agents after each test. */
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
  const join: Joining['join'] = async (one, name, way, maxWait) => {
    const agent = await joined(path(), one, { name, way, maxWait });
    open.push(agent);
    return agent;
  };
  return {
    get script() {
      return path();
    },
    join,
    async party(maxWait) {
      const one = await HttpHub.open();
      const agent = await join(one, 'reviewer', HTTP, maxWait);
      await agent.value('sessions');
      return { one, agent, bob: await one.hub.agent('bob', { onMessage: () => {} }) };
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
    if (there === null) throw new Error('only available within a test');
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
