/** Groups of connections, and rooms in which the first of a group posts to the others. */

import { FrameSocket } from './frame-socket.ts';
import { Party } from './party.ts';

/** `rooms` are spread evenly over `groups` of `parties` connections each. */
export interface Layout {
  readonly groups: number;
  readonly parties: number;
  readonly rooms: number;
}

export interface Room {
  readonly sessionId: string;
  readonly parties: readonly [Party, ...Party[]];
}

/** Names are unique per server. */
export interface Ground {
  readonly port: number;
  readonly isHub: boolean;
  readonly prefix: string;
}

const AT_ONCE = 32;

export async function openRooms(ground: Ground, { groups, parties, rooms }: Layout): Promise<readonly Room[]> {
  const joined = await eachOf(groups * parties, (i) => join(ground, `${ground.prefix}-${i}`));
  return eachOf(rooms, async (i) => {
    const first = (i % groups) * parties;
    const [poster, ...others] = joined.slice(first, first + parties);
    if (poster === undefined) throw new Error(`room ${i} has no parties`);
    const all = [poster, ...others] as const;
    const sessionId = await (ground.isHub ? openSession(...all) : joinRelay(`${ground.prefix}-room-${i}`, all));
    return { sessionId, parties: all };
  });
}

export async function join({ port, isHub }: Pick<Ground, 'port' | 'isHub'>, name: string): Promise<Party> {
  const party = new Party(await FrameSocket.open(port), name, isHub);
  if (isHub) await party.register();
  return party;
}

export async function openSession(poster: Party, ...others: readonly Party[]): Promise<string> {
  const participants = others.map(({ name }) => name);
  const asked = { type: 'bench_room', participants, wait: 'created', ttl: '30d' };
  // The result of create_session.
  const { session } = (await poster.ask('create_session', asked)) as { session: { session_id: string } };
  const { session_id } = session;
  await Promise.all(others.map((other) => other.ask('ack_invite', { session_id })));
  return session_id;
}

/** A relay knows a room by who joined it. */
async function joinRelay(session_id: string, parties: readonly Party[]): Promise<string> {
  await Promise.all(parties.map((party) => party.ask('join', { session_id })));
  return session_id;
}

/** In order, with a few running at a time. */
async function eachOf<T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < count; i = next++) made[i] = await make(i);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return made;
}
