/** Everything a hub shows: every read of every peer, every event, the audit, and what the peers received. */

import { HUB_EVENTS } from '../../src/hub/telemetry/events.ts';
import type { Peer } from '../../src/testing/doubles/peer.ts';
import type { World } from '../../src/testing/doubles/world.ts';

const READS = ['get_session', 'read_log', 'can_send'] as const;
const OWN_READS = [
  'list_sessions',
  'pending_turns',
  'list_schedules',
  'list_agents',
  'find_agent',
  'get_resume',
  'get_skill',
] as const;
const reading: ReadonlySet<string> = new Set<string>([...READS, ...OWN_READS]);

/** All events from now on, except refusals of our own reads. */
export function listen(world: World): string[] {
  const heard: string[] = [];
  for (const name of HUB_EVENTS) {
    world.hub.on(name, (event) => {
      if ('op' in event && reading.has(event.op)) return;
      heard.push(`${name} ${JSON.stringify(event)}`);
    });
  }
  return heard;
}

export async function shown(world: World, heard: readonly string[], peers: readonly Peer[], ids: readonly string[]) {
  const reads: unknown[] = [];
  for (const peer of peers) {
    for (const session_id of ids) for (const op of READS) reads.push(await read(world, peer, op, { session_id }));
    for (const op of [...OWN_READS, 'health']) reads.push(await read(world, peer, op, {}));
  }
  const audit = (await world.hub.audit()).filter(({ detail }) => !reading.has(String(detail.op)));
  return { reads, taps: [...heard], audit, frames: peers.map(({ frames }) => [...frames]) };
}

/** Staged bytes and the time are no information about a session. */
async function read(world: World, peer: Peer, op: string, params: object): Promise<unknown> {
  const frame = await world.answer(peer.ask(op, params));
  if (!frame.ok) return frame.error;
  if (op !== 'health') return frame.result;
  const { ready, reason, sessions, bound, connections } = frame.result as ReturnType<World['hub']['health']>;
  return { ready, reason, live: sessions.live, bound, connections };
}
