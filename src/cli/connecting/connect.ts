/**
 * Connects commands to a hub. `withHub` runs short commands with a client, as a reader or for a participant; others
 * stay connected. A newer connection of a name replaces the older one, so no command may use a name that is connected
 * elsewhere unless `--take-over` says so: `command-name.ts` locks names on this machine, `assertFree` asks the hub.
 * `hub-target.ts` resolves the hub and the credentials; `refusals.ts` explains why a hub refused.
 */

import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { AgentClient } from '../../client/agent-client.ts';
import type { ClientOptions } from '../../client/client-options.ts';
import type { HumanClient } from '../../client/human-client.ts';
import { isRefusal, onlyNameFrom } from '../../client/refusals.ts';
import type { WireError } from '../../core/lib/errors.ts';
import type { Connect } from '../../participants/joining/join-options.ts';
import type { CommandArgs } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { acquireCommandName, lockName } from './command-name.ts';
import { type HubTarget, loginName, requestedName, resolveHubTarget } from './hub-target.ts';
import { nameInUseError, throwExplained } from './refusals.ts';

/** Leaves invites unanswered: the hub sends them again to the next client that stays connected. */
const leaveOpen = (): Promise<boolean> => new Promise(() => {});

/** Runs `work` with a client: a `reader` uses a generated name or its token's only name, a `speaker` that of `--as`. */
export async function withHub<T>(
  args: CommandArgs,
  io: Io,
  role: 'reader' | 'speaker',
  work: (client: AgentClient) => Promise<T>,
): Promise<T> {
  const target = await resolveHubTarget(args, io);
  const isReader = role === 'reader';
  const { name, release } = isReader
    ? await acquireCommandName(target.url)
    : await lockName(target.url, await speakerOf(target, requestedName(args, io)));
  try {
    if (!isReader) await assertFree(target, name, args, io);
    const connecting = isReader ? connectReader(target, name, args, io) : connectBriefly(target, name);
    const client = await connecting.catch((thrown) => throwExplained(thrown, target, name));
    return await work(client).finally(() => client.close());
  } finally {
    await release();
  }
}

/** Connects a person who stays connected; the client reconnects when the link is lost. */
export async function connectPerson(
  args: CommandArgs,
  io: Io,
  handlers: Pick<ClientOptions, 'onInvite' | 'onEvent' | 'onDelta' | 'onState' | 'onGap' | 'register'>,
): Promise<HumanClient> {
  const { target, name } = await stayingTarget(args, io, args.values.name ?? requestedName(args, io));
  const { connectHuman } = await import('../../client/node.ts');
  return connectHuman(target.url, { ...proofOf(target), ...handlers, name }).catch((thrown) =>
    throwExplained(thrown, target, name),
  );
}

/** Connects an agent that stays connected. `fallback`: the name if none is requested and the token is for no name. */
export async function agentConnector(
  args: CommandArgs,
  io: Io,
  { requested, fallback }: { readonly requested: string | undefined; readonly fallback: string },
): Promise<{ readonly name: string; readonly url: string; readonly connect: Connect }> {
  const { target, name } = await stayingTarget(args, io, requested, fallback);
  const { connect } = await import('../../client/node.ts');
  return {
    name,
    url: target.url,
    connect: (options) =>
      connect(target.url, { ...proofOf(target), ...options }).catch((thrown) => throwExplained(thrown, target, name)),
  };
}

async function stayingTarget(args: CommandArgs, io: Io, requested: string | undefined, fallback?: string) {
  const target = await resolveHubTarget(args, io);
  const name = await speakerOf(target, requested, fallback);
  await assertFree(target, name, args, io, '--name');
  return { target, name };
}

async function connectBriefly(target: HubTarget, name: string): Promise<AgentClient> {
  const { connect } = await import('../../client/node.ts');
  const options = { ...proofOf(target), reconnect: false, onInvite: leaveOpen, register: { kind: 'human' } } as const;
  return connect(target.url, { name, ...options });
}

function proofOf({ credentials, ca }: HubTarget) {
  return { credentials, ...(ca === undefined ? {} : { ca }) };
}

async function connectReader(target: HubTarget, name: string, args: CommandArgs, io: Io): Promise<AgentClient> {
  return connectBriefly(target, name).catch(async (thrown: unknown) => {
    const other = isRefusal(thrown) ? (onlyNameFrom(thrown) ?? requestedName(args, io)) : undefined;
    if (!isRefusal(thrown) || thrown.code !== 'forbidden' || other === undefined) throw thrown;
    const hint = 'To run two commands at the same time, create a token for another name: "parley token create".';
    await assertNotElsewhere(target, other, io, hint);
    return connectBriefly(target, other).catch((again) => throwExplained(again, target, other));
  });
}

/** The requested name, else the only name that the token is for, else the fallback. */
async function speakerOf(
  target: HubTarget,
  requested: string | undefined,
  fallback: string = loginName(),
): Promise<string> {
  // Without an explicit token there is nothing to ask: the operator token may use any name.
  if (requested !== undefined || !target.isExplicit) return requested ?? fallback;
  const refusal = await refusalOf(target);
  return (refusal === null ? null : onlyNameFrom(refusal)) ?? fallback;
}

/** Rejects a name that is connected elsewhere, unless --take-over is set. */
async function assertFree(target: HubTarget, name: string, args: CommandArgs, io: Io, option = '--as'): Promise<void> {
  if (args.switches.has('take-over')) return;
  const hint = `Use that connection, choose another name with "${option}", or replace it with "--take-over".`;
  const refusal = await refusalOf(target, async (looker) => {
    if (await isConnected(looker, name)) throw nameInUseError(name, hint);
  });
  if (refusal === null) return;
  if (refusal.code === 'unauthenticated') return throwExplained(refusal, target, name);
  const only = onlyNameFrom(refusal);
  if (only !== null && only !== name) return throwExplained(refusal, target, name);
  await assertNotElsewhere(target, name, io, hint);
}

/** Does the same over HTTP, for a token that cannot connect under another name. */
async function assertNotElsewhere(target: HubTarget, name: string, io: Io, hint: string): Promise<void> {
  const isElsewhere = await isConnectedElsewhere(target, name);
  if (isElsewhere === true) throw nameInUseError(name, hint);
  if (isElsewhere === null)
    io.note(`note: this token is for ${name} only; an existing connection of ${name} is replaced now`);
}

/** Connects under a generated name; returns the refusal, or null if the hub accepts it. */
async function refusalOf(
  target: HubTarget,
  work: (client: AgentClient) => Promise<void> = async () => {},
): Promise<WireError | null> {
  const { name, release } = await acquireCommandName(target.url);
  try {
    const client = await connectBriefly(target, name);
    await work(client).finally(() => client.close());
    return null;
  } catch (thrown) {
    if (isRefusal(thrown)) return thrown;
    throw thrown;
  } finally {
    await release();
  }
}

async function isConnected(client: AgentClient, name: string): Promise<boolean> {
  for await (const agent of client.findAgents({ text: name, bound: true })) if (agent.name === name) return true;
  return false;
}

const PATIENCE_MS = 5_000;

/** Asks over HTTP, which replaces no connection, with a token for that name only. null if the answer is unknown. */
async function isConnectedElsewhere(target: HubTarget, name: string): Promise<boolean | null> {
  const answer = await postOverHttp(target, 'find_agent', { text: name, bound: true }).catch(() => null);
  if (answer === null) return null;
  // The name is not registered yet.
  if (answer.status === 401) return false;
  if (answer.status !== 200) return null;
  const { agents } = JSON.parse(answer.text) as { readonly agents: readonly { readonly name: string }[] };
  return agents.some((agent) => agent.name === name);
}

function postOverHttp(
  { url, credentials, ca }: HubTarget,
  operation: string,
  body: object,
): Promise<{ status: number; text: string }> {
  const address = `${url.replace(/^ws/, 'http').replace(/\/$/, '')}/api/v1/${operation}`;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${String(credentials.token)}` };
  const options = { method: 'POST', headers, timeout: PATIENCE_MS, ...(ca === undefined ? {} : { ca }) };
  return new Promise((resolve, reject) => {
    const request = (address.startsWith('https') ? overHttps : overHttp)(address, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}
