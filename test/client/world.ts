// A client of a scripted hub, bound as alice.

import { AgentClient, type AgentOptions, HumanClient, type HumanOptions } from 'parley-hub/client';
import { countedIds, info, ScriptedHub } from './scripted-hub.ts';

type Given<Options> = Partial<Omit<Options, 'link' | 'name'>>;

export async function agent(options: Given<AgentOptions> = {}): Promise<{ hub: ScriptedHub; client: AgentClient }> {
  const hub = new ScriptedHub();
  const connecting = AgentClient.connect({ link: hub.link, name: 'alice', ids: countedIds(), ...options });
  await hub.heard();
  await hub.welcome();
  return { hub, client: await connecting };
}

export async function human(options: Given<HumanOptions> = {}): Promise<{ hub: ScriptedHub; client: HumanClient }> {
  const hub = new ScriptedHub();
  const connecting = HumanClient.connect({ link: hub.link, name: 'alice', ids: countedIds(), ...options });
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
