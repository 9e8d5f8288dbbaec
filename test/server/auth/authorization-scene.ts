/** A hub on a real port with somebody in every position towards one session: in it, hidden in it, put out of it, and outside. */

import { createHub, type LocalHub } from 'parley-hub';
import { GRANTS, type Grant, type OperationName } from 'parley-hub/core';
import { WebSocket } from 'ws';
import { type Socket, socketLink } from '../../../src/client/connection/socket-link.ts';
import type { TokenClaim } from '../../../src/core/records/access/tokens.ts';
import { MemoryDisk } from '../../../src/hub/log/memory-disk.ts';
import { MemoryStore } from '../../../src/hub/log/memory-store.ts';
import { Peer } from '../../../src/testing/doubles/peer.ts';
import { goodParams } from '../../hub/every-operation.ts';
import type { Column } from './authorization-table.ts';

export const NOWHERE = 'e'.repeat(32);
const everyGrant = Object.keys(GRANTS) as Grant[];

export interface Scene {
  readonly hub: LocalHub;
  readonly url: string;
  /** Who asks in each column. */
  readonly askers: Readonly<Record<Column, Peer>>;
  /** An active participant beside the creator. */
  readonly bob: Peer;
  readonly sessionId: string;
  /** Parameters that are good as such, and about what is alice's. */
  paramsOf(op: OperationName, sessionId?: string): object;
  /** How far every log is, of sessions and of the hub itself. */
  logs(): readonly string[];
  /** How much those who are in the session have heard. */
  heard(): number;
  auditKinds(): Promise<readonly string[]>;
}

/** `stops` gets what ends it. To see a token run out takes a second. */
export async function aScene(stops: (() => Promise<unknown>)[], withExpired = true): Promise<Scene> {
  const disk = new MemoryDisk();
  const store = new MemoryStore({ disk });
  const hub = await createHub({ store });
  stops.push(() => hub.stop());
  const { url } = await hub.listen({ port: 0 });
  const join = async (name: string, grants: readonly Grant[] = []): Promise<Peer> =>
    boundWith(url, name, (await hub.createToken({ name, grants })).token);
  const [alice, bob, hank, rita] = [await join('alice'), await join('bob'), await join('hank'), await join('rita')];
  const [mallory, olive] = [await join('mallory'), await join('olive', ['observe'])];
  const own = await belongings(hub, alice, [bob, hank, rita]);
  const expired = withExpired ? await expiredAs(hub, url, 'alice', { grants: everyGrant }) : peerOn(url);
  const again = await boundWith(url, 'alice', (await hub.createToken({ name: 'alice' })).token);
  return {
    hub,
    url,
    bob,
    sessionId: own.sessionId,
    askers: {
      unbound: peerOn(url),
      another: mallory,
      outsider: mallory,
      hidden: hank,
      removed: rita,
      observer: olive,
      expired,
    },
    paramsOf: (op, sessionId = own.sessionId) => ({ ...goodParams(sessionId)[op], ...own.params[op] }),
    logs: () =>
      disk.logIds().map((id) => {
        const entries = disk.log(id)?.entries ?? [];
        return `${id} ${entries.length} ${entries.at(-1)?.envelope.envelope_id}`;
      }),
    heard: () => again.frames.length + bob.frames.length,
    auditKinds: async () => (await hub.audit({ limit: 1_000 })).map(({ kind }) => kind),
  };
}

function peerOn(url: string): Peer {
  const peer = new Peer(socketLink(new WebSocket(url) as unknown as Socket));
  peer.acks = true;
  return peer;
}

/** Says hello with the token, and registers the name that is not known yet. */
export async function boundWith(url: string, name: string, token: string): Promise<Peer> {
  const peer = await greeting(url, name, token);
  if (peer.agentId === '') await peer.call('register', { name });
  return peer;
}

/** Says hello with the token, and has heard the answer. */
export async function greeting(url: string, name: string, token: string): Promise<Peer> {
  const peer = peerOn(url);
  peer.send({ kind: 'hello', protocol: 1, name, auth: { scheme: 'token', token } });
  await peer.ask('health', {});
  return peer;
}

/** A connection that was bound until its token ran out. */
async function expiredAs(hub: LocalHub, url: string, name: string, claim: TokenClaim): Promise<Peer> {
  const { token } = await hub.createToken({ ...claim, name, ttl: 1 });
  const peer = await boundWith(url, name, token);
  await new Promise<void>((resolve) => {
    const stop = hub.on('agentUnbound', ({ reason }) => {
      if (reason !== 'unauthorized') return;
      stop();
      resolve();
    });
  });
  return peer;
}

/** A session with everybody in it, and what alice has beside it: a task, a schedule, a token. */
async function belongings(hub: LocalHub, alice: Peer, others: readonly Peer[]) {
  const [bob, hank, rita] = others.map(({ agentId }) => agentId);
  const participants = [bob, hank, rita].map(String);
  const { session } = await alice.call('create_session', { type: 'discussion', participants, wait: 'created' });
  const session_id = session.session_id;
  for (const other of others) await other.call('ack_invite', { session_id });
  await alice.call('post', { session_id, event_type: 'msg.text', event_data: { text: 'hello' } });
  const { task } = await alice.call('start_task', { session_id, title: 'look into it' });
  await hub.hideParticipant(session_id, 'hank');
  await hub.removeParticipant(session_id, 'rita');
  const template = { type: 'conversation', participants: ['bob'] };
  const times = { name: 'nightly', template, expression: '0 3 * * *', zone: 'UTC' };
  const { schedule_id } = await alice.call('create_schedule', times);
  const { token_id } = await hub.createToken({ name: 'alice' });
  const aboutTask = { task_id: task.task_id };
  const params: Partial<Record<OperationName, object>> = {
    unregister: { name: 'alice' },
    get_rule: { agent: 'alice' },
    set_rule: { agent: 'alice' },
    progress_task: aboutTask,
    checkpoint_task: aboutTask,
    resume_task: aboutTask,
    complete_task: aboutTask,
    fail_task: aboutTask,
    cancel_task: aboutTask,
    get_task: aboutTask,
    get_schedule: { schedule_id },
    update_schedule: { schedule_id },
    delete_schedule: { schedule_id },
    list_schedules: { all: true },
    revoke_token: { token_id },
  };
  return { sessionId: session_id, params };
}
