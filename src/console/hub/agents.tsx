/** Who there is: connected or not, what they say they can do, and how much they have to do. */

import type { AgentLoad } from '../../core/console-operations.ts';
import type { FoundAgent } from '../../core/find-agent.ts';
import { Line } from '../text/shown.tsx';
import type { HubState } from './hub-state.ts';

export function Agents({ hub }: { hub: HubState }) {
  const loads = new Map(hub.figures?.agents.map((load) => [load.agent_id, load]) ?? []);
  const sorted = [...hub.agents].sort((one, other) => Number(other.bound) - Number(one.bound));
  return (
    <section class="card" aria-labelledby="agents-title">
      <h2 id="agents-title">
        Agents{' '}
        <span class="dim">
          {hub.agents.length}
          {hub.hasMoreAgents && '+'}
        </span>
      </h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Agents">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Can do</th>
              <th scope="col" class="number">
                Turns
              </th>
              <th scope="col" class="number">
                Sessions
              </th>
              <th scope="col" class="number">
                Inbox
              </th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((agent) => (
              <Agent key={agent.agent_id} agent={agent} load={loads.get(agent.agent_id)} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Agent({ agent, load }: { agent: FoundAgent; load: AgentLoad | undefined }) {
  const { resume, model } = agent;
  const can = resume.summary !== '' ? resume.summary : resume.claimed_capabilities.join(', ');
  return (
    <tr>
      <th scope="row">
        <span class={`presence ${agent.bound ? 'here' : 'gone'}`} title={agent.bound ? 'connected' : 'not connected'}>
          <span class="unseen">{agent.bound ? 'connected' : 'not connected'}</span>
        </span>{' '}
        <Line text={agent.name} most={40} />{' '}
        <span class="dim">{agent.kind === 'human' ? 'person' : (model ?? '')}</span>
      </th>
      <td>
        <Line text={can} most={80} />
      </td>
      <td class="number">{load?.open_turns ?? 0}</td>
      <td class="number">{load?.sessions ?? 0}</td>
      <td class="number">{load?.inbox ?? '–'}</td>
    </tr>
  );
}
