/** Lists the agents of the hub: whether they are connected, their claimed capabilities and their load. */

import { useId, useState } from 'preact/hooks';
import type { AgentLoad } from '../../core/protocol/operations/console-hub.ts';
import type { FoundAgent } from '../../core/records/identity/find-agent.ts';
import type { HubState } from '../state/hub-state.ts';
import { Line } from '../text/untrusted-text.tsx';
import { LineIn } from '../widgets/widgets.tsx';
import { AgentResume } from './agent-resume.tsx';

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
              <th scope="col">Capabilities</th>
              {['Turns', 'Sessions', 'Inbox'].map((name) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
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
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const { resume, model } = agent;
  const presence = agent.bound ? 'connected' : 'not connected';
  return (
    <>
      <tr>
        <th scope="row">
          <span class={`presence ${agent.bound ? 'here' : 'gone'}`} title={presence}>
            <span class="unseen">{presence}</span>
          </span>{' '}
          <button
            type="button"
            class="quiet agent-name"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            <Line text={agent.name} most={40} />
          </button>{' '}
          <span class="dim">{agent.kind === 'human' ? 'person' : (model ?? '')}</span>
        </th>
        <td>
          {resume.summary !== '' && <Line text={resume.summary} most={80} />}{' '}
          <LineIn tag="span" class="dim" text={resume.claimed_capabilities.join(', ')} most={80} />
        </td>
        <td class="number">{load?.open_turns ?? 0}</td>
        <td class="number">{load?.sessions ?? 0}</td>
        <td class="number">{load?.inbox ?? '–'}</td>
      </tr>
      {isOpen && (
        <tr id={id}>
          <td colSpan={5}>
            <AgentResume agentId={agent.agent_id} />
          </td>
        </tr>
      )}
    </>
  );
}
