// A client of a scripted hub, bound as alice.

import { AgentClient, type AgentOptions, HumanClient, type HumanOptions } from 'parley-hub/client';
import { countedIds, info, ScriptedHub } from './scripted-hub.ts';

type Given<Options> = Partial<Omit<Options, 'link' | 'name'>>;
type World<Client> = Promise<{ hub: ScriptedHub; client: Client }>;

export function agent(options: Given<AgentOptions> = {}): World<AgentClient> {
  return welcomed((base) => AgentClient.connect({ ...base, ...options }));
}

export function human(options: Given<HumanOptions> = {}): World<HumanClient> {
  return welcomed((base) => HumanClient.connect({ ...base, ...options }));
}

async function welcomed<Client>(connect: (base: HumanOptions) => Promise<Client>): World<Client> {
  const hub = new ScriptedHub();
  const connecting = connect({ link: hub.link, name: 'alice', ids: countedIds() });
  await hub.heard();
  await hub.welcome();
  return { hub, client: await connecting };
}

/** Sends frames and answers the get_session that the first message of a session causes. */
export async function tell(hub: ScriptedHub, ...frames: readonly object[]): Promise<void> {
  hub.say(...frames);
  await hub.flush();
  for (;;) {
    const at = hub.received.findIndex((text) => JSON.parse(text).op === 'get_session');
    if (at === -1) return;
    const { session_id } = JSON.parse(hub.received[at] ?? '').params;
    await hub.answer('get_session', info({ session_id }));
  }
}

/** Sends frames, then takes what the client sent. */
export async function heardAfter(hub: ScriptedHub, ...frames: readonly object[]): Promise<string[]> {
  await tell(hub, ...frames);
  return hub.heard();
}
