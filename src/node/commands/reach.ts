/** A command's way to the hub: as a bystander under a name of its own, or speaking for somebody. */

import type { AgentClient } from '../../client/agent-client.ts';
import type { ClientOptions } from '../../client/client.ts';
import type { HumanClient } from '../../client/human-client.ts';
import { WireError } from '../../core/errors.ts';
import type { Connect } from '../../participants/join-options.ts';
import type { Asked } from './command.ts';
import type { Io } from './io.ts';
import { type OwnName, takeOwnName, takeTurn } from './own-name.ts';
import { Trouble } from './trouble.ts';
import { usualName, type Where, whereIs } from './where.ts';

/** An invite is for whoever is there to stay: it is left unanswered, and comes again at the next connection. */
const leaveOpen = (): Promise<boolean> => new Promise(() => {});

/** Runs with a client under a name of the command's own, or under `--as` where the token speaks for that alone. */
export async function looking<T>(asked: Asked, io: Io, work: (client: AgentClient) => Promise<T>): Promise<T> {
  const where = await whereIs(asked, io);
  const own = await takeOwnName(where.url);
  try {
    return await withClient(await bystander(where, own, asked, io), work);
  } finally {
    await own.release();
  }
}

/** Runs with a client that speaks for `--as`; a name that is connected elsewhere is left alone unless told otherwise. */
export async function acting<T>(asked: Asked, io: Io, work: (client: AgentClient) => Promise<T>): Promise<T> {
  const where = await whereIs(asked, io);
  const name = usualName(asked, io);
  const release = await takeTurn(where.url, name);
  try {
    await assertFree(where, name, asked, io);
    const { connect } = await import('../client.ts');
    const common = { ...options(where), onInvite: leaveOpen, register: { kind: 'human' } } as const;
    const client = await connect(where.url, { name, ...common }).catch((thrown) => explained(thrown, where, name));
    return await withClient(client, work);
  } finally {
    await release();
  }
}

/** Joins for as long as it likes: it comes back by itself when the link is lost. */
export async function joining(
  asked: Asked,
  io: Io,
  given: Pick<ClientOptions, 'onInvite' | 'onEvent' | 'onDelta' | 'onState' | 'onGap' | 'register'> & {
    readonly name: string;
  },
): Promise<HumanClient> {
  const where = await whereIs(asked, io);
  await assertFree(where, given.name, asked, io);
  const { connectHuman } = await import('../client.ts');
  const { reconnect: _, ...proof } = options(where);
  return connectHuman(where.url, { ...proof, ...given }).catch((thrown) => explained(thrown, where, given.name));
}

/** The way of an agent that stays: it comes back by itself too. */
export async function agentWay(
  asked: Asked,
  io: Io,
  name: string,
): Promise<{ readonly url: string; readonly connect: Connect }> {
  const where = await whereIs(asked, io);
  await assertFree(where, name, asked, io);
  const { connect } = await import('../client.ts');
  const { reconnect: _, ...proof } = options(where);
  return {
    url: where.url,
    connect: (own) => connect(where.url, { ...proof, ...own }).catch((thrown) => explained(thrown, where, name)),
  };
}

async function withClient<T>(client: AgentClient, work: (client: AgentClient) => Promise<T>): Promise<T> {
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

function options({ credentials, ca }: Where) {
  return { credentials, reconnect: false, ...(ca === undefined ? {} : { ca }) } as const;
}

async function bystander(where: Where, own: OwnName, asked: Asked, io: Io): Promise<AgentClient> {
  const { connect } = await import('../client.ts');
  const common = { ...options(where), onInvite: leaveOpen };
  try {
    return await connect(where.url, { name: own.name, ...common, register: { kind: 'human' } });
  } catch (thrown) {
    const name = asked.values.as ?? (io.env.PARLEY_NAME || undefined);
    if (!isRefusal(thrown) || name === undefined) return explained(thrown, where, own.name);
    const client = await connect(where.url, { name, ...common }).catch((again) => explained(again, where, name));
    io.note(`note: this token speaks for ${name} alone; if ${name} was connected elsewhere, that connection has ended`);
    return client;
  }
}

/** Whoever has only a token for one name cannot look before it speaks; then it is told. */
async function assertFree(where: Where, name: string, asked: Asked, io: Io): Promise<void> {
  if (asked.switches.has('take-over')) return;
  const own = await takeOwnName(where.url);
  try {
    const { connect } = await import('../client.ts');
    const client = await connect(where.url, {
      name: own.name,
      ...options(where),
      onInvite: leaveOpen,
      register: { kind: 'human' },
    });
    const isBound = await withClient(client, (looker) => isConnected(looker, name));
    if (isBound) throw busy(name);
  } catch (thrown) {
    if (!isRefusal(thrown)) return explained(thrown, where, name);
    io.note(`note: this token speaks for one name alone; if ${name} is connected elsewhere, that connection ends now`);
  } finally {
    await own.release();
  }
}

async function isConnected(client: AgentClient, name: string): Promise<boolean> {
  for await (const agent of client.findAgents({ text: name, bound: true })) if (agent.name === name) return true;
  return false;
}

function busy(name: string): Trouble {
  return new Trouble(
    'inUse',
    'name_in_use',
    `${name} is connected elsewhere, and would be sent away there`,
    `Speak there, or as another with "--as"; "--take-over" does it all the same.`,
  );
}

function isRefusal(thrown: unknown): thrown is WireError {
  return thrown instanceof WireError && (thrown.code === 'unauthenticated' || thrown.code === 'forbidden');
}

/** A refusal is about the token: where it came from is half of the answer. */
function explained(thrown: unknown, where: Where, name: string): never {
  if (!isRefusal(thrown)) throw thrown;
  const message = `${where.url} does not let "${name}" in with ${where.proof}: ${thrown.message}`;
  const hint =
    where.credentials.scheme === 'none'
      ? 'Run it where "parley up" runs, or say where its data folder is: "--data", PARLEY_DATA; or give a "--token".'
      : 'Another token with "--token"; a token for one name needs "--as" with that name; "parley token list" shows which there are.';
  throw new Trouble('notAllowed', thrown.code, message, hint);
}
