/** What ids are called, for lists that have only ids. */

import type { AgentClient } from '../../client/agent-client.ts';
import type { Result } from '../../core/operations.ts';
import { printableLine } from '../../cli/terminal/printable.ts';

export async function agentNames(client: AgentClient): Promise<(id: string) => string> {
  const names = new Map<string, string>();
  for (let after: string | null | undefined; after !== null; ) {
    const page: Result<'list_agents'> = await client.call('list_agents', { after, limit: 1000 });
    for (const { agent_id, name } of page.agents) names.set(agent_id, printableLine(name));
    after = page.next;
  }
  return (id) => names.get(id) ?? id;
}
