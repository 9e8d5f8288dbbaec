/** Joins a hub as an agent function: its turns are taken until it leaves. */

import type { AgentClient, TurnHandler } from '../client/index.ts';
import { HubError } from '../core/lib/errors.ts';
import type { Clock } from '../core/ports/platform.ts';
import { type Connect, type Joining, type JoinOptions, joiningOf } from './joining/join-options.ts';
import { Participant } from './joining/join-hub.ts';
import { Turns } from './joining/turns.ts';

export type JoinHub = (client: AgentClient | Connect, options: JoinOptions) => Promise<Participant>;

/** On a platform with that clock. */
export function joiningOn(clock: Clock | undefined): JoinHub {
  return async (client, options) => {
    const joining = joiningOf(options, { clock });
    return typeof client === 'function' ? connected(client, options, joining) : given(client, options, joining);
  };
}

/** Invites are answered from the first on as it is told, and no turn is taken before it is whole. */
async function connected(connect: Connect, options: JoinOptions, joining: Joining): Promise<Participant> {
  const { name, onInvite, onState, register } = options;
  if (name === undefined)
    throw new HubError('bad_options', 'name: expected the name of the participant, got undefined');
  let begin: (participant: Participant) => void = () => {};
  const begun = new Promise<Participant>((resolve) => {
    begin = resolve;
  });
  const onTurn: TurnHandler = async (offer, session) => (await begun).take(offer, session);
  const log = options.log === undefined ? {} : { log: options.log };
  const client = await connect({ name, register: register ?? true, onInvite, onTurn, onState, ...log });
  return start(client, options, joining, begin);
}

/** A client that is somebody already, and has no handlers. */
async function given(client: AgentClient, options: JoinOptions, joining: Joining): Promise<Participant> {
  for (const mine of ['name', 'register', 'onInvite', 'onState'] as const) {
    if (options[mine] === undefined) continue;
    const message = `${mine}: expected it in the options of the client, which is connected; or give joinHub a function that connects`;
    throw new HubError('bad_options', message);
  }
  return start(client, options, joining, (participant) => {
    client.handle({ onTurn: (offer, session) => participant.take(offer, session) });
  });
}

async function start(
  client: AgentClient,
  { resume, rule }: JoinOptions,
  joining: Joining,
  begin: (participant: Participant) => void,
): Promise<Participant> {
  try {
    if (resume !== undefined) await client.setResume(resume);
    if (rule !== undefined) await client.setRule(rule);
    const participant = new Participant(client, new Turns(client, joining), joining);
    begin(participant);
    await client.offerOpenTurns();
    return participant;
  } catch (error) {
    client.close();
    throw error;
  }
}
