/** A command's way to the hub: as a bystander under a name of its own, or speaking for somebody. */

import type { AgentClient } from '../../client/agent-client.ts';
import type { ClientOptions } from '../../client/client.ts';
import type { HumanClient } from '../../client/human-client.ts';
import type { WireError } from '../../core/lib/errors.ts';
import type { Connect } from '../../participants/joining/join-options.ts';
import type { Asked } from '../../cli/terminal/command.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { isConnectedElsewhere } from './is-connected.ts';
import { type OwnName, takeOwnName, takeTurn } from '../../cli/connecting/command-name.ts';
import { busy, explained, isRefusal, onlyNameIn } from '../../cli/connecting/refusals.ts';
import { loginName, nameGiven, type Where, whereIs } from '../../cli/connecting/hub-target.ts';

/** An invite is for whoever is there to stay: it is left unanswered, and comes again at the next connection. */
const leaveOpen = (): Promise<boolean> => new Promise(() => {});

/** Runs with a client under a name of the command's own, or under the one name its token speaks for. */
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
  const name = await speakerOf(where, nameGiven(asked, io));
  const release = await takeTurn(where.url, name);
  try {
    await assertFree(where, name, asked, io);
    const { connect } = await import('../../client/node.ts');
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
  given: Pick<ClientOptions, 'onInvite' | 'onEvent' | 'onDelta' | 'onState' | 'onGap' | 'register'>,
): Promise<HumanClient> {
  const where = await whereIs(asked, io);
  const name = await speakerOf(where, asked.values.name ?? nameGiven(asked, io));
  await assertFree(where, name, asked, io, '--name');
  const { connectHuman } = await import('../../client/node.ts');
  const { reconnect: _, ...proof } = options(where);
  return connectHuman(where.url, { ...proof, ...given, name }).catch((thrown) => explained(thrown, where, name));
}

/** The way of an agent that stays: it comes back by itself too. Who is not named, and whose token is for no name, has its usual one. */
export async function agentWay(
  asked: Asked,
  io: Io,
  { given, usual }: { readonly given: string | undefined; readonly usual: string },
): Promise<{ readonly name: string; readonly url: string; readonly connect: Connect }> {
  const where = await whereIs(asked, io);
  const name = await speakerOf(where, given, usual);
  await assertFree(where, name, asked, io, '--name');
  const { connect } = await import('../../client/node.ts');
  const { reconnect: _, ...proof } = options(where);
  return {
    name,
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

/** Under a name of the command's own; where the token speaks for one name alone, under that. */
async function bystander(where: Where, own: OwnName, asked: Asked, io: Io): Promise<AgentClient> {
  const { connect } = await import('../../client/node.ts');
  const common = { ...options(where), onInvite: leaveOpen, register: { kind: 'human' } } as const;
  try {
    return await connect(where.url, { name: own.name, ...common });
  } catch (thrown) {
    const name = isRefusal(thrown) ? (onlyNameIn(thrown) ?? nameGiven(asked, io)) : undefined;
    if (!isRefusal(thrown) || thrown.code !== 'forbidden' || name === undefined)
      return explained(thrown, where, own.name);
    await assertNotElsewhere(
      where,
      name,
      io,
      'For two things at once make a token for another name: "parley token create".',
    );
    return connect(where.url, { name, ...common }).catch((again) => explained(again, where, name));
  }
}

/** Who speaks: who was named, else the one name the token is for, else who is logged in. */
async function speakerOf(where: Where, given: string | undefined, usual: string = loginName()): Promise<string> {
  // The operator's token speaks for any name.
  if (given !== undefined || !where.isGiven) return given ?? usual;
  const refusal = await refusalOf(where);
  return (refusal === null ? null : onlyNameIn(refusal)) ?? usual;
}

/** A name that is connected elsewhere is left alone unless told otherwise. */
async function assertFree(where: Where, name: string, asked: Asked, io: Io, option = '--as'): Promise<void> {
  if (asked.switches.has('take-over')) return;
  const hint = `Speak there, or as another with "${option}"; "--take-over" does it all the same.`;
  const refusal = await refusalOf(where, async (looker) => {
    if (await isConnected(looker, name)) throw busy(name, hint);
  });
  if (refusal === null) return;
  if (refusal.code === 'unauthenticated') return explained(refusal, where, name);
  const only = onlyNameIn(refusal);
  if (only !== null && only !== name) return explained(refusal, where, name);
  await assertNotElsewhere(where, name, io, hint);
}

/** For a token that does not let one look under another name. */
async function assertNotElsewhere(where: Where, name: string, io: Io, hint: string): Promise<void> {
  const isElsewhere = await isConnectedElsewhere(where, name);
  if (isElsewhere === true) throw busy(name, hint);
  if (isElsewhere === null)
    io.note(`note: this token speaks for ${name} alone; if ${name} is connected elsewhere, that connection ends now`);
}

/** Looks under a name of the command's own; why that is not allowed, or null. */
async function refusalOf(
  where: Where,
  work: (client: AgentClient) => Promise<void> = async () => {},
): Promise<WireError | null> {
  const own = await takeOwnName(where.url);
  try {
    const { connect } = await import('../../client/node.ts');
    const given = { name: own.name, ...options(where), onInvite: leaveOpen, register: { kind: 'human' } } as const;
    await withClient(await connect(where.url, given), work);
    return null;
  } catch (thrown) {
    if (isRefusal(thrown)) return thrown;
    throw thrown;
  } finally {
    await own.release();
  }
}

async function isConnected(client: AgentClient, name: string): Promise<boolean> {
  for await (const agent of client.findAgents({ text: name, bound: true })) if (agent.name === name) return true;
  return false;
}
