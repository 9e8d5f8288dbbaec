/** Which model is behind an agent, for those who have more to ask it than an agent is asked. */

import type { AgentFn } from '../agent/agent-fn.ts';
import type { ModelClient } from './client/model-client.ts';

const clients = new WeakMap<AgentFn, ModelClient>();

/** Notes it, and gives the agent back. */
export function ofModel(agent: AgentFn, client: ModelClient): AgentFn {
  clients.set(agent, client);
  return agent;
}

/** undefined = none that is known: a program, a person, or an agent around another one. */
export function modelOf(agent: AgentFn): ModelClient | undefined {
  return clients.get(agent);
}
