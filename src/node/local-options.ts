/** What a participant in this process may say about itself; its name is given beside, and the link and the ids are the hub's to give. */

import { AGENT_OPTIONS, type AgentOptions } from '../client/agent-client.ts';
import { CLIENT_OPTIONS, type ClientOptions } from '../client/client.ts';
import { checkOptions, type Rules } from '../client/lib/option-checks.ts';
import type { HumanOptions } from '../client/human-client.ts';

export type LocalAgentOptions = Omit<AgentOptions, 'link' | 'ids' | 'name'>;
export type LocalHumanOptions = Omit<HumanOptions, 'link' | 'ids' | 'name'>;

const LOCAL_AGENT_OPTIONS: Rules<LocalAgentOptions> = own(AGENT_OPTIONS);
const LOCAL_HUMAN_OPTIONS: Rules<LocalHumanOptions> = own(CLIENT_OPTIONS);

/** An error names what there is to give, and nothing else is taken. */
export function checkAgentOptions(given: LocalAgentOptions): void {
  checkOptions(given, LOCAL_AGENT_OPTIONS);
}

export function checkHumanOptions(given: LocalHumanOptions): void {
  checkOptions(given, LOCAL_HUMAN_OPTIONS);
}

function own<Options extends ClientOptions>({ link: _, ids: __, name: ___, ...rules }: Rules<Options>) {
  return rules;
}
